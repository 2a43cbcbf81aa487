//! Searches the calls that match.

use std::{collections::BTreeSet, num::NonZeroUsize, sync::Arc, thread};

use super::report::{NearMiss, NearRule, UnmatchedCall};
use crate::{
    base::text::shorten,
    engine::{Components, journal::Entry},
    provider::scripted::rules::{
        Expectation,
        matching::{CallOrigin, MatchedCall},
    },
};

/// The number of calls that are shown as nearly matching.
const NEAREST: usize = 3;
/// The number of the latest calls that are searched for them.
const MAX_COMPARED: usize = 1_000;
/// Maximum number of characters of a user message in a report.
const MAX_TEXT: usize = 200;
/// Fewer calls than this for each thread are not worth a thread.
const MIN_CHUNK: usize = 500;

/// Returns the numbers of the calls, each with the indexes of the expectations that it matches.
pub(super) fn matches(
    expectations: &[Expectation],
    entries: &[Arc<Entry>],
    components: &Components,
) -> Vec<(u64, Vec<usize>)> {
    let search = |entries: &[Arc<Entry>]| -> Vec<_> {
        let matching = |entry: &Arc<Entry>| {
            let matching: Vec<_> = with_call(entry, components, |call| {
                let holds = |(at, it): (usize, &Expectation)| it.r#match.holds(call).then_some(at);
                expectations.iter().enumerate().filter_map(holds).collect()
            })?;
            (!matching.is_empty()).then_some((entry.number, matching))
        };
        entries.iter().filter_map(matching).collect()
    };
    if expectations.is_empty() {
        return Vec::new();
    }
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let chunk = entries.len().div_ceil(threads).max(MIN_CHUNK);
    thread::scope(|scope| {
        let mut chunks = entries.chunks(chunk);
        let first = chunks.next().unwrap_or_default();
        let others: Vec<_> = chunks.map(|chunk| scope.spawn(move || search(chunk))).collect();
        let mut found = search(first);
        // A panic is logged, and the calls of the thread do not count.
        found.extend(others.into_iter().filter_map(|it| it.join().ok()).flatten());
        found
    })
}

/// Looks at a call as the rules of its component have seen it. Returns `None` if its request was invalid.
fn with_call<T>(
    entry: &Entry,
    components: &Components,
    look: impl FnOnce(&MatchedCall<'_>) -> T,
) -> Option<T> {
    let component = components.find(&entry.component).ok();
    let none = BTreeSet::new();
    let own_tools = component.as_ref().map_or(&none, |component| &component.own_tools);
    let sent = entry.request.as_ref()?;
    let request = sent.to_chat(&entry.component, own_tools).ok()?;
    let origin = CallOrigin {
        component: &entry.component,
        model: component.as_ref().and_then(|component| component.model.as_deref()),
        session: entry.session(),
        alpha1: sent.api().is_alpha1(),
    };
    Some(look(&MatchedCall::with_origin(&request, origin)))
}

/// Describes a call that neither a rule nor a chain has answered, if wanted with the nearest rule.
pub(super) fn unmatched_call(
    entry: &Entry,
    components: &Components,
    with_rule: bool,
) -> UnmatchedCall {
    let rules = components.find(&entry.component).ok().and_then(|it| it.rules.clone());
    let rules = rules.filter(|_| with_rule);
    let seen = with_call(entry, components, |call| {
        let text = call.request.last_user().map(|it| shorten(&it.text(), MAX_TEXT).into_owned());
        let nearest = rules.and_then(|rules| rules.nearest_rule(call));
        (text, nearest.map(|(rule, mismatches)| NearRule { rule, mismatches }))
    });
    let (text, nearest) = seen.unwrap_or_default();
    UnmatchedCall { number: entry.number, text, nearest }
}

/// Returns the latest calls of which the fewest conditions do not hold.
pub(super) fn nearest(
    expectation: &Expectation,
    entries: &[Arc<Entry>],
    components: &Components,
) -> Vec<NearMiss> {
    let miss = |entry: &Arc<Entry>| {
        let mismatches = with_call(entry, components, |call| expectation.r#match.mismatches(call))?;
        (!mismatches.is_empty()).then_some(NearMiss { number: entry.number, mismatches })
    };
    let mut misses: Vec<_> = entries.iter().rev().take(MAX_COMPARED).filter_map(miss).collect();
    misses.sort_by_key(|miss| miss.mismatches.len());
    misses.truncate(NEAREST);
    misses
}
