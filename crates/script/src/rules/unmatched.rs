//! The fallback that reports which rule was nearest.

use std::{
    cmp::{Ordering, Reverse},
    sync::Arc,
};

use futures_util::FutureExt;
use mynah_core::{
    base::{
        blocking::is_blocking_thread,
        text::shorten,
        work::{Stopped, Work},
    },
    chat::{ErrorKind, Request},
    provider::{
        Answering, CallContext, Provider, ProviderError, call::RuleLabel, counters::Counters,
    },
};

use super::{
    RuleSources,
    call_rules::CallRules,
    matched_call,
    matching::{Distance, MatchedCall, Mismatch},
    rule::Rule,
};
use crate::{ScriptedSettings, chains::CallCounters, no_chain, steps::quoted};

/// Number of rules that are always compared with a call that no rule matches, in the order in which
/// rules are tried. The rules that the index finds come first.
const MIN_COMPARED: usize = 100;
/// More rules are compared if all of them together search at most this many bytes.
const MAX_SEARCHED: usize = 16 << 20;
/// Number of equally near rules whose words are compared with those of the call.
const MAX_TIES: usize = 300;
/// Maximum number of conditions in a message.
const MAX_CONDITIONS: usize = 3;
/// Maximum length of a condition in a message, in characters. gRPC sends errors in headers.
const MAX_CONDITION: usize = 300;

/// Maximum number of sessions in a message.
const MAX_SESSIONS: usize = 3;

const NO_RULES: &str =
    "there are no rules; set some with PUT /mynah/v1/rules, or give a file with --rules";
const NO_CHAIN_EITHER: &str = "; and no instruction chain in the prompt answers";

/// A provider for the requests that match no rule: fails with [`ErrorKind::NotFound`].
pub struct Unmatched {
    component: String,
    settings: ScriptedSettings,
    rules: RuleSources,
}

impl Unmatched {
    /// Creates the provider for a component.
    pub fn new(
        component: impl Into<String>,
        settings: ScriptedSettings,
        rules: impl Into<RuleSources>,
    ) -> Self {
        Self { component: component.into(), settings, rules: rules.into() }
    }

    fn error(&self, request: &Request, context: &CallContext) -> ProviderError {
        let rules = self.rules.of_call(context.session_name());
        let mut message = match (rules.is_empty(), self.settings.chains) {
            (true, true) => no_chain(),
            (true, false) => NO_RULES.to_owned(),
            (false, chains) => {
                let call = matched_call(request, context, &self.component, &self.settings);
                let nearest = rules.explain_nearest(&call, context.counters());
                let no_chain = if chains { NO_CHAIN_EITHER } else { "" };
                nearest + no_chain
            }
        };
        message += &self.other_sessions(context.session_name());
        ProviderError::new(ErrorKind::NotFound, message)
    }

    /// Names sessions with rules if the session of the call has none. The client may not have sent it.
    fn other_sessions(&self, session: &str) -> String {
        let others = self.rules.sessions.others(session, MAX_SESSIONS);
        let listed: Vec<_> = others.iter().map(|name| quoted(name)).collect();
        if listed.is_empty() {
            return String::new();
        }
        let session = quoted(session);
        format!("; the call is of session {session}; sessions with rules: {}", listed.join(", "))
    }
}

impl Provider for Unmatched {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        fail_with(&context.clone(), move || self.error(&request, &context))
    }
}

/// Returns the answer that fails. Works on a blocking thread, because all rules are compared.
pub(super) fn fail_with(
    context: &CallContext,
    error: impl FnOnce() -> ProviderError + Send + 'static,
) -> Answering {
    if is_blocking_thread() {
        return error().into();
    }
    let context = context.clone();
    let error = move || Ok(error());
    let answer = async move { context.run_blocking(error).await.unwrap_or_else(|it| it).into() };
    Answering::Later(answer.boxed())
}

impl CallRules<'_> {
    /// Says which rule a call matches most closely, and which of its conditions do not hold.
    fn explain_nearest(&self, call: &MatchedCall<'_>, counters: Option<&Arc<Counters>>) -> String {
        let Ok(Some((rule, failed))) = self.nearest(call, &Work::unlimited()) else {
            return "there are no rules".to_owned();
        };
        let label = &rule.label;
        match failed.as_slice() {
            [] if self.is_exhausted(rule, call, counters) => {
                format!("no rule answers; {label} is exhausted, and its on_exhausted is fallback")
            }
            [] => format!("no rule matches; {label} has answered as often as its times allows"),
            failed => format!("no rule matches; the nearest is {label}: {}", listed(failed)),
        }
    }

    /// Returns `true` if a rule that matches leaves the answer to the fallback because it is exhausted,
    /// not because it is spent.
    fn is_exhausted(
        &self,
        rule: &Rule,
        call: &MatchedCall<'_>,
        counters: Option<&Arc<Counters>>,
    ) -> bool {
        let Some(counters) = counters else { return rule.times.is_none() };
        let (session, component) = (call.session, call.component);
        let uses = CallCounters { counters, session, component, is_explained: true };
        !rule.is_spent(uses.of_rule(rule))
    }

    /// Returns the label of the rule that a call without an answer matches most closely, with the conditions
    /// that do not hold.
    pub fn nearest_rule(
        &self,
        call: &MatchedCall<'_>,
        work: &Work,
    ) -> Result<Option<(RuleLabel, Vec<Mismatch>)>, Stopped> {
        let Some((rule, mismatches)) = self.nearest(call, work)? else { return Ok(None) };
        work.keep(2 * mismatches.iter().map(Mismatch::size).sum::<usize>())?;
        Ok(Some((rule.label.clone(), mismatches)))
    }

    /// Returns the rule that a call without an answer matches most closely, with the conditions that do
    /// not hold.
    pub(super) fn nearest(
        &self,
        call: &MatchedCall<'_>,
        work: &Work,
    ) -> Result<Option<(&Rule, Vec<Mismatch>)>, Stopped> {
        let limit = (MAX_SEARCHED / call.request.size().max(1)).max(MIN_COMPARED);
        let compared = self.sources().enumerate().flat_map(|(source, rules)| {
            let likely = rules.index.candidates(call).take(limit);
            let compared = likely.chain(0..rules.rules.len().min(limit));
            compared.filter_map(move |at| Some(((source, at), &**rules.rules.get(at)?)))
        });
        let (mut nearest, mut ties): (Option<Near<'_>>, _) = (None, 0);
        for (at, rule) in compared {
            let conditions = &rule.conditions;
            conditions.spend_all(call, work)?;
            let distance = conditions.distance(call);
            match nearest.as_ref().map(|nearest| distance.cmp(&nearest.distance)) {
                Some(Ordering::Greater) => continue,
                Some(Ordering::Equal) if ties == MAX_TIES => continue,
                Some(Ordering::Equal) => ties += 1,
                Some(Ordering::Less) | None => {}
            }
            let mismatches = conditions.mismatches(call);
            let shared = mismatches.iter().map(Mismatch::shared_words).sum();
            // Of a recorded request, the mismatches are its parts.
            let parts = conditions.request().map_or(0, |_| mismatches.len());
            let likeness = (parts, Reverse(shared), Reverse(conditions.stated()), at);
            let near = Near { distance, likeness, rule, mismatches };
            if nearest.as_ref().is_none_or(|nearest| near.rank() < nearest.rank()) {
                nearest = Some(near);
            }
        }
        Ok(nearest.map(|Near { rule, mismatches, .. }| (rule, mismatches)))
    }
}

/// A rule that does not match a call.
struct Near<'r> {
    distance: Distance,
    /// How many parts of a recorded request differ, how many words of the conditions that do not hold the
    /// call has, how many conditions there are, and the place of the rule: its source, and where it is
    /// there. Of equal rules, the first is nearest.
    likeness: (usize, Reverse<usize>, Reverse<usize>, (usize, usize)),
    rule: &'r Rule,
    mismatches: Vec<Mismatch>,
}

impl Near<'_> {
    fn rank(&self) -> impl Ord + use<> {
        (self.distance, self.likeness)
    }
}

pub(super) fn listed(failed: &[Mismatch]) -> String {
    let shown = failed.iter().take(MAX_CONDITIONS);
    let shown = shown.map(|it| shorten(&it.to_string(), MAX_CONDITION).into_owned());
    let shown = shown.collect::<Vec<_>>().join("; ");
    match failed.len().saturating_sub(MAX_CONDITIONS) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
