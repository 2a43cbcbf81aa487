//! Verifies the calls in the journal.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroUsize,
    sync::Arc,
    thread,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Components,
    journal::{Entry, Outcome},
};
use crate::{
    chat::Request,
    provider::{
        call::AnsweredBy,
        scripted::{
            Rules,
            rules::{
                Expectation, UnusedRule,
                matching::{MatchedCall, Mismatch},
            },
        },
    },
};

/// The number of calls that are shown as nearly matching.
const NEAREST: usize = 3;
/// The number of the latest calls that are searched for them.
const MAX_COMPARED: usize = 1_000;
/// The maximum number of calls in a list.
const MAX_LISTED: usize = 100;
/// Fewer calls than this for each thread are not worth a thread.
const MIN_CHUNK: usize = 500;

/// What is checked.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    /// The calls that are expected.
    pub(crate) expectations: Vec<Expectation>,
    /// Whether all rules and all of their steps must have answered.
    pub(crate) unused: bool,
    /// Whether all calls must have been answered by a rule or an instruction chain.
    pub(crate) no_unmatched: bool,
}

/// The result of checks.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Verification {
    /// Whether everything is as expected.
    pub(crate) ok: bool,
    /// The result of each expectation.
    pub(crate) expectations: Vec<Verified>,
    /// The rules that have not answered, if this was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unused: Option<Vec<UnusedRule>>,
    /// The numbers of calls that no rule and no chain has answered, if this was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unmatched: Option<Vec<u64>>,
}

/// The result of an expectation.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// The name of the expectation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Whether the number of calls is as expected.
    pub(crate) ok: bool,
    /// The number of calls that match.
    pub(crate) matched: u64,
    /// The expected number, as text.
    pub(crate) expected: String,
    /// The calls that match, or the first of them.
    pub(crate) calls: Vec<u64>,
    /// The calls that nearly match, if too few match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) nearest: Vec<NearMiss>,
}

/// A call that nearly matches.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct NearMiss {
    /// The number of the call.
    pub(crate) number: u64,
    /// The conditions that do not hold.
    pub(crate) mismatches: Vec<Mismatch>,
}

impl Checks {
    /// Returns the expectations in the rules of all components, each file once.
    pub(crate) fn expected(components: &Components) -> Self {
        let mut files = BTreeMap::new();
        for component in components.all() {
            if let Some(rules) = &component.rules {
                files.entry(rules.source().clone()).or_insert_with(|| rules.clone());
            }
        }
        let expectations = files.values().flat_map(|rules| rules.expectations().iter().cloned());
        Self { expectations: expectations.collect(), ..Self::default() }
    }
}

/// Checks the calls. Decodes all requests, so this may take long.
pub(crate) fn verify(
    checks: &Checks,
    entries: &[Arc<Entry>],
    components: &Components,
) -> Verification {
    let mut results: Vec<Verified> = checks.expectations.iter().map(Verified::new).collect();
    for (number, matching) in matches(&checks.expectations, entries, components) {
        for expectation in matching {
            results[expectation].count(number);
        }
    }
    for (expectation, verified) in checks.expectations.iter().zip(&mut results) {
        verified.ok = expectation.count.holds(verified.matched);
        if !verified.ok {
            verified.nearest = nearest(expectation, entries, components);
        }
    }
    let unused = checks.unused.then(|| unused(entries, components));
    let unmatched = checks.no_unmatched.then(|| unmatched(entries));
    let ok = results.iter().all(|result| result.ok)
        && unused.as_ref().is_none_or(Vec::is_empty)
        && unmatched.as_ref().is_none_or(Vec::is_empty);
    Verification { ok, expectations: results, unused, unmatched }
}

/// Returns the numbers of the calls, each with the indexes of the expectations that it matches.
fn matches(
    expectations: &[Expectation],
    entries: &[Arc<Entry>],
    components: &Components,
) -> Vec<(u64, Vec<usize>)> {
    let search = |entries: &[Arc<Entry>]| -> Vec<_> {
        let matching = |entry: &Arc<Entry>| {
            let request = decoded(entry, components)?;
            let call = matched_call(entry, &request);
            let holds = |(at, it): (usize, &Expectation)| it.r#match.holds(&call).then_some(at);
            let matching: Vec<_> = expectations.iter().enumerate().filter_map(holds).collect();
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

/// Returns the request of a call, unless it was invalid.
fn decoded(entry: &Entry, components: &Components) -> Option<Request> {
    let component = components.find(&entry.component).ok();
    let none = BTreeSet::new();
    let own_tools = component.as_ref().map_or(&none, |component| &component.own_tools);
    entry.request.as_ref()?.to_chat(&entry.component, own_tools).ok()
}

fn matched_call<'c>(entry: &'c Entry, request: &'c Request) -> MatchedCall<'c> {
    let mut call = MatchedCall::new(request, &entry.component);
    call.session = entry.session();
    call.alpha1 = entry.request.as_ref().is_some_and(|request| request.api().is_alpha1());
    if let Outcome::Answered(response) = &entry.outcome {
        call.model = response.model.as_deref();
    }
    call
}

/// Returns the latest calls of which the fewest conditions do not hold.
fn nearest(
    expectation: &Expectation,
    entries: &[Arc<Entry>],
    components: &Components,
) -> Vec<NearMiss> {
    let miss = |entry: &Arc<Entry>| {
        let request = decoded(entry, components)?;
        let mismatches = expectation.r#match.mismatches(&matched_call(entry, &request));
        (!mismatches.is_empty()).then_some(NearMiss { number: entry.number, mismatches })
    };
    let mut misses: Vec<_> = entries.iter().rev().take(MAX_COMPARED).filter_map(miss).collect();
    misses.sort_by_key(|miss| miss.mismatches.len());
    misses.truncate(NEAREST);
    misses
}

/// Returns the rules that have not answered.
fn unused(entries: &[Arc<Entry>], components: &Components) -> Vec<UnusedRule> {
    let mut files: BTreeMap<Arc<str>, (Arc<Rules>, BTreeSet<_>)> = BTreeMap::new();
    for component in components.all() {
        if let Some(rules) = &component.rules {
            files.entry(rules.source().clone()).or_insert_with(|| (rules.clone(), BTreeSet::new()));
        }
    }
    for answer in entries.iter().flat_map(|entry| &entry.answered_by) {
        // The rules may be those of a component that another one falls back to.
        if let AnsweredBy::Rule { source, rule, step } = answer
            && let Some((_, used)) = files.get_mut(source)
        {
            used.insert((rule.clone(), *step));
        }
    }
    files.values().flat_map(|(rules, used)| rules.unused(used)).collect()
}

/// Returns the calls that neither a rule nor a chain has answered.
fn unmatched(entries: &[Arc<Entry>]) -> Vec<u64> {
    let unmatched = entries.iter().filter(|entry| entry.answered_by.is_empty());
    unmatched.map(|entry| entry.number).take(MAX_LISTED).collect()
}

impl Verified {
    fn new(expectation: &Expectation) -> Self {
        Self {
            name: expectation.name.clone(),
            ok: false,
            matched: 0,
            expected: expectation.count.to_string(),
            calls: Vec::new(),
            nearest: Vec::new(),
        }
    }

    fn count(&mut self, number: u64) {
        self.matched += 1;
        if self.calls.len() < MAX_LISTED {
            self.calls.push(number);
        }
    }
}
