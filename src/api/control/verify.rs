//! `/mynah/v1/verify`: checks the calls of a sidecar.

use std::sync::Arc;

use axum::{Extension, body::Body, extract::State, response::Response};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{body, failure::Failure, journal::journal, query::check_name, resources::Resources};
use crate::{
    api::http::response::json,
    base::{mapping::Mapping, pattern::PatternLimits, work::Work},
    engine::{
        Engine,
        journal::EntryFilter,
        verify::{Checks, Verification, verify},
    },
    provider::scripted::rules::{
        Expectation,
        matching::{Count, Match},
    },
    wire::error::ControlError,
};

/// The maximum number of expectations and conditions in a request.
const MAX_CONDITIONS: usize = 10_000;

/// What to check: the number of calls that match, a list of such expectations, or the use of rules.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyRequest {
    /// Only the calls of this session are checked. Default: all calls.
    #[schemars(length(min = 1))]
    session: Option<String>,
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
    /// Whether all rules and all steps of their chains and sequences must have answered.
    #[serde(default)]
    unused: bool,
    /// Whether all calls must have been answered by a rule or an instruction chain, except for those that
    /// fail because of a fault.
    #[serde(default)]
    no_unmatched: bool,
}

/// Checks the calls. Fails with the nearest misses if something is not as expected.
pub(super) async fn post(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    body: Body,
) -> Result<Response, Failure> {
    let text = resources.text(body).await?;
    let check = move |work: &Work| {
        let (selection, checks) = parse(&text, work)?;
        let calls = journal(&engine)?.select(&selection);
        Ok(report(&verify(&checks, &calls, &engine.with_instances(), work)?))
    };
    let (ok, report) = resources.run(check).await?;
    if ok { Ok(json(report)) } else { Err(ControlError::Unverified(report).into()) }
}

/// Parses a request, and charges its patterns.
fn parse(text: &str, work: &Work) -> Result<(EntryFilter, Checks), Failure> {
    let (request, memory) = PatternLimits::REQUEST.read(|| body::json::<VerifyRequest>(text));
    work.keep(memory)?;
    let (selection, checks) = request?.into_checks()?;
    let conditions = checks.expectations.iter().map(|it| it.r#match.len()).sum::<usize>();
    if conditions + checks.expectations.len() > MAX_CONDITIONS {
        let limit = format!("expected at most {MAX_CONDITIONS}; split the request");
        return Err(Failure::invalid(format!("too many expectations and conditions; {limit}")));
    }
    Ok((selection, checks))
}

/// Returns whether everything is as expected, and the report as JSON.
fn report(verification: &Verification) -> (bool, String) {
    // Serializing texts and numbers cannot fail.
    (verification.ok, serde_json::to_string(verification).unwrap_or_default())
}

impl VerifyRequest {
    fn into_checks(self) -> Result<(EntryFilter, Checks), Failure> {
        let Self { session, since, r#match, count, expect, unused, no_unmatched } = self;
        check_name("session", session.as_deref())?;
        let is_single = r#match.is_some() || count.is_some();
        let mut expectations: Vec<_> = expect.into_iter().map(|Mapping(it)| it).collect();
        if is_single {
            let (r#match, count) =
                (r#match.unwrap_or_default(), count.unwrap_or(Count::at_least(1)));
            expectations.push(Expectation { name: None, r#match, count });
        }
        if expectations.is_empty() && !unused && !no_unmatched {
            let expected = "expected match, count, expect, unused or no_unmatched";
            return Err(Failure::invalid(format!("there is nothing to check; {expected}")));
        }
        let selection = EntryFilter { session, since, ..EntryFilter::default() };
        Ok((selection, Checks { expectations, unused, no_unmatched }))
    }
}
