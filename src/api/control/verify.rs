//! `/mynah/v1/verify`: checks the calls of a sidecar.

use std::{sync::Arc, time::Duration};

use axum::{Extension, body::Body, extract::State, response::Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    journal::journal,
    query::{self, check_name},
    resources::{MAX_STEPS, Resources},
};
use crate::{
    api::http::response::json,
    base::{
        clock::Moment, duration, json_size::decoded_size, mapping::Mapping, pattern::PatternLimits,
        text::shorten, work::Work,
    },
    engine::{
        Engine,
        journal::{CallOutcome, EntryFilter, Journal},
        verify::{Checks, Verification, Waiting, verify},
    },
    provider::scripted::rules::{
        Expectation,
        matching::{Count, Match},
    },
    wire::error::ControlError,
};

/// The maximum number of expectations and conditions in a request.
const MAX_CONDITIONS: usize = 10_000;

/// The maximum number of characters of conditions in a report.
const MAX_SHOWN: usize = 200;

/// What to check: the number of calls that match, a list of such expectations, or the use of rules.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyRequest {
    /// Only the calls of this session are checked. Default: all calls.
    #[schemars(length(min = 1))]
    session: Option<String>,
    /// Only the calls that have ended so are checked. Default: all calls.
    outcome: Option<CallOutcome>,
    /// Only the calls after the one with this number are checked.
    #[serde(default)]
    since: u64,
    /// The conditions on the calls that are counted. Default: all calls.
    r#match: Option<Match>,
    /// The number of these calls. Default: at least 1.
    count: Option<Count>,
    /// A list of expectations, as in a file of rules.
    #[serde(default)]
    #[schemars(with = "Vec<Expectation>")]
    expect: Vec<Mapping<Expectation>>,
    /// Whether all rules and all steps of their chains and sequences must have answered: the rules that
    /// the session has set, if it has any, or else those of all components. Without a session, those of all
    /// components and sessions.
    #[serde(default)]
    unused: bool,
    /// Whether all calls must have been answered by a rule or an instruction chain, except for those that
    /// fail because of a fault.
    #[serde(default)]
    no_unmatched: bool,
    /// Whether the requests of all calls must be recorded, if recordings are replayed.
    #[serde(default)]
    recorded: bool,
    /// How many calls of the session, or of all sessions, must be waiting now because of a delay or a fault,
    /// at least.
    waiting: Option<usize>,
    /// Whether conditions see the texts as the model sees them: with placeholders for the personal data
    /// in inputs that are scrubbed.
    #[serde(default)]
    scrubbed: bool,
    /// How long to wait until everything is as expected, such as `2s`. Default: not at all.
    wait: Option<String>,
}

/// The longest time that a request may wait.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Checks the calls. Fails with the nearest misses if something is not as expected, and does not become
/// so in the time that the request waits.
pub(super) async fn post(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    body: Body,
) -> Result<Response, ControlError> {
    let text: Arc<str> = resources.text(body).await?.into();
    let journal = journal(&engine)?;
    let (mut end, mut spent) = (None, 0);
    loop {
        let seen = (journal.newest(), engine.waiting.count(None));
        let Checked { ok, is_final, report, wait, steps } =
            check(&engine, &text, &resources).await?;
        if ok {
            return Ok(json(report));
        }
        // The memory of the check is free again.
        let _ = resources.charge.set(decoded_size(text.as_bytes()) + text.len() + report.len());
        spent += steps;
        let end = *end.get_or_insert_with(|| Moment::after(wait));
        if is_final
            || spent > MAX_STEPS
            || !next_call(&engine, &journal, seen, end, &resources).await
        {
            return Err(ControlError::Unverified(report));
        }
    }
}

/// Waits for a call after the one with this number, or for a change of the number of calls that wait.
/// Returns `false` if there is none in time.
async fn next_call(
    engine: &Engine,
    journal: &Journal,
    seen: (u64, usize),
    end: Option<Moment>,
    resources: &Resources,
) -> bool {
    while resources.pause_until(end).await {
        if (journal.newest(), engine.waiting.count(None)) != seen {
            return true;
        }
    }
    false
}

/// The result of a check.
struct Checked {
    ok: bool,
    /// Whether no further call can make it ok.
    is_final: bool,
    /// What was found, as JSON.
    report: String,
    /// The time in which the result may change.
    wait: Duration,
    /// The work that it took.
    steps: u64,
}

/// Checks the calls that are in the journal now.
async fn check(
    engine: &Arc<Engine>,
    text: &Arc<str>,
    resources: &Resources,
) -> Result<Checked, ControlError> {
    let (engine, text) = (engine.clone(), text.clone());
    let check = move |work: &Work| {
        let (selection, checks, wait) = parse(&engine, &text, work)?;
        let journal = journal(&engine)?;
        let calls = journal.select(&selection);
        let mut verification = verify(&checks, &calls, &engine.with_instances(), work)?;
        if let Some(session) = selection.session.as_ref().filter(|_| calls.entries.is_empty()) {
            verification.other_sessions = journal.sessions(selection.since);
            // A call of the session may have ended since.
            verification.other_sessions.retain(|other| other != session);
        }
        verification.describe(&checks);
        // Serializing texts and numbers cannot fail.
        let report = serde_json::to_string(&verification).unwrap_or_default();
        let Verification { ok, is_final, .. } = verification;
        Ok(Checked { ok, is_final, report, wait, steps: work.spent() })
    };
    resources.run(check).await
}

/// Parses a request, and charges its patterns.
fn parse(
    engine: &Engine,
    text: &str,
    work: &Work,
) -> Result<(EntryFilter, Checks, Duration), ControlError> {
    let (request, memory) = PatternLimits::REQUEST.read(|| query::read_body::<VerifyRequest>(text));
    work.keep(memory)?;
    let request = request?;
    let wait = request.wait()?;
    let (selection, mut checks) = request.into_checks(engine)?;
    checks.conditions = shown_conditions(text);
    let conditions = checks.expectations.iter().map(|it| it.r#match.len()).sum::<usize>();
    if conditions + checks.expectations.len() > MAX_CONDITIONS {
        let limit = format!("expected at most {MAX_CONDITIONS}; split the request");
        return Err(ControlError::invalid(format!(
            "too many expectations and conditions; {limit}"
        )));
    }
    Ok((selection, checks, wait))
}

/// Returns the conditions of each expectation as they were sent, or their beginning.
fn shown_conditions(text: &str) -> Vec<String> {
    let request: Value = serde_json::from_str(text).unwrap_or_default();
    let listed = request["expect"].as_array().into_iter().flatten();
    let all = listed.map(|it| &it["match"]).chain([&request["match"]]);
    let is_empty = |it: &Value| it.as_object().is_none_or(Map::is_empty);
    let shown = |it: &Value| shorten(&it.to_string(), MAX_SHOWN).into_owned();
    all.map(|it| if is_empty(it) { String::new() } else { shown(it) }).collect()
}

impl VerifyRequest {
    fn wait(&self) -> Result<Duration, ControlError> {
        let Some(wait) = &self.wait else { return Ok(Duration::ZERO) };
        let wait = duration::parse(wait)
            .map_err(|error| ControlError::invalid(format!("wait: {error}")))?;
        if wait > MAX_WAIT {
            let wait = self.wait.as_deref().unwrap_or_default();
            return Err(ControlError::invalid(format!(
                "wait: {wait:?} is too long; use at most 1m"
            )));
        }
        Ok(wait)
    }

    fn into_checks(self, engine: &Engine) -> Result<(EntryFilter, Checks), ControlError> {
        let Self {
            session,
            outcome,
            since,
            r#match,
            count,
            expect,
            unused,
            no_unmatched,
            recorded,
            waiting,
            scrubbed,
            wait: _,
        } = self;
        check_name("session", session.as_deref())?;
        let is_single = r#match.is_some() || count.is_some();
        let mut expectations: Vec<_> = expect.into_iter().map(|Mapping(it)| it).collect();
        if is_single {
            let (r#match, count) =
                (r#match.unwrap_or_default(), count.unwrap_or(Count::at_least(1)));
            expectations.push(Expectation { name: None, r#match, count });
        }
        let is_checked = unused || no_unmatched || recorded || waiting.is_some();
        if expectations.is_empty() && !is_checked {
            let expected =
                "expected match, count, expect, unused, no_unmatched, recorded or waiting";
            return Err(ControlError::invalid(format!("there is nothing to check; {expected}")));
        }
        let now = || engine.waiting.count(session.as_deref());
        let waiting = waiting.map(|expected| Waiting { expected, now: now() });
        let unused = unused.then(|| engine.rules_to_use(session.as_deref()));
        let selection = EntryFilter { session, outcome, since, ..EntryFilter::default() };
        let conditions = Vec::new();
        let checks =
            Checks { expectations, unused, no_unmatched, recorded, waiting, conditions, scrubbed };
        Ok((selection, checks))
    }
}
