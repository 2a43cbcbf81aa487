//! Verifies the calls in the journal.

mod report;
mod search;
mod text;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use self::{report::MAX_LISTED, search::Search};
pub(crate) use self::{
    report::{UnmatchedCall, Verification, Verified},
    text::add_nearest,
};
use super::{
    Components,
    journal::{Entry, Selected},
};
use crate::{
    base::work::{Stopped, Work},
    provider::{
        call::AnsweredBy,
        scripted::{
            Rules,
            rules::{Expectation, UnusedRule, UsedStep},
        },
    },
};

/// Maximum number of unmatched calls that are compared with all rules.
const MAX_COMPARED: usize = 10;
/// The memory of the result of an expectation, and of its JSON.
const RESULT: usize = 2 * 1024;
/// The memory that a request takes when it is decoded, in its sizes.
const DECODED: usize = 8;
/// The steps for each rule or chain that has answered a call.
const ANSWER: usize = 64;

/// What is checked.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    /// The calls that are expected.
    pub(crate) expectations: Vec<Expectation>,
    /// The rules that must have answered with all of their steps, if this is checked.
    pub(crate) unused: Option<Vec<Arc<Rules>>>,
    /// Whether all calls must have been answered by a rule or an instruction chain.
    pub(crate) no_unmatched: bool,
    /// Whether all requests must be recorded.
    pub(crate) recorded: bool,
    /// The calls that wait because of a delay or a fault, if they are checked.
    pub(crate) waiting: Option<Waiting>,
    /// The conditions of the expectations as texts, for the report.
    pub(crate) conditions: Vec<String>,
    /// Whether conditions see inputs with personal data scrubbed, as the model does.
    pub(crate) scrubbed: bool,
}

/// The calls that wait because of a delay or a fault.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    /// How many must wait, at least.
    pub(crate) expected: usize,
    pub(crate) now: usize,
}

impl Checks {
    /// Returns the expectations in the rules of all components, each file once.
    pub(crate) fn expected(components: &Components) -> Self {
        let mut files = BTreeMap::new();
        for component in components.all() {
            for file in component.rules.component.iter().flat_map(|rules| rules.files()) {
                files.entry(file.text.source.clone()).or_insert_with(|| file.expectations.clone());
            }
        }
        Self { expectations: files.into_values().flatten().collect(), ..Self::default() }
    }
}

/// Checks the calls. Decodes all requests, so this may take long.
///
/// # Errors
///
/// Fails if the work stops early.
pub(crate) fn verify(
    checks: &Checks,
    calls: &Selected,
    components: &Components,
    work: &Work,
) -> Result<Verification, Stopped> {
    let Selected { entries, dropped, redactor, .. } = calls;
    let dropped = *dropped;
    let largest = entries.iter().map(|entry| entry.size()).max();
    work.keep_decoded(DECODED * largest.unwrap_or(0))?;
    let search = Search { entries, redactor, components, scrubbed: checks.scrubbed, work };
    let results = expectations(checks, dropped, &search)?;
    let answers = entries.iter().map(|entry| entry.answered_by.len()).sum::<usize>();
    work.spend(ANSWER * answers)?;
    let unused = checks.unused.as_ref().map(|rules| unused(entries, rules));
    let unmatched = checks.no_unmatched.then(|| unmatched(&search)).transpose()?;
    let unrecorded = checks.recorded.then(|| unrecorded(&search)).transpose()?;
    let all_used = unused.as_ref().is_none_or(Vec::is_empty);
    let all_matched = unmatched.as_ref().is_none_or(Vec::is_empty);
    let all_recorded = unrecorded.as_ref().is_none_or(Vec::is_empty);
    let is_uncertain =
        !all_used || (checks.no_unmatched && all_matched) || (checks.recorded && all_recorded);
    let incomplete = results.iter().any(|it| it.incomplete) || (dropped > 0 && is_uncertain);
    let all_wait = checks.waiting.is_none_or(|waiting| waiting.now >= waiting.expected);
    let ok = results.iter().all(|result| result.ok)
        && (all_used && all_matched && all_recorded && all_wait)
        && !incomplete;
    let mut failed = checks.expectations.iter().zip(&results).filter(|(_, result)| !result.ok);
    let is_final = !all_matched
        || !all_recorded
        || failed.any(|(it, result)| !it.count.is_too_few(result.matched));
    Ok(Verification {
        ok,
        is_final,
        expectations: results,
        unused,
        unmatched,
        unrecorded,
        waiting: checks.waiting.map(|waiting| waiting.now),
        other_sessions: Vec::new(),
        dropped,
        incomplete,
        report: String::new(),
    })
}

/// Returns the result of each expectation.
fn expectations(
    checks: &Checks,
    dropped: u64,
    search: &Search<'_>,
) -> Result<Vec<Verified>, Stopped> {
    search.work.keep(RESULT * checks.expectations.len())?;
    let mut results: Vec<Verified> = checks.expectations.iter().map(Verified::new).collect();
    search.count(&checks.expectations, &mut results)?;
    for (expectation, verified) in checks.expectations.iter().zip(&mut results) {
        verified.decide(expectation, dropped);
        if expectation.count.is_too_few(verified.matched) {
            verified.nearest = search.nearest(expectation)?;
        }
    }
    Ok(results)
}

/// Returns the rules that have not answered.
fn unused(entries: &[Arc<Entry>], rules: &[Arc<Rules>]) -> Vec<UnusedRule> {
    // The rules may be those of a component that another one falls back to.
    let used_step = |answer: &AnsweredBy| match answer {
        AnsweredBy::Rule { source, rule, step, .. } => {
            Some((source.clone(), rule.clone().in_file(None), *step))
        }
        AnsweredBy::Fault | AnsweredBy::Missed | AnsweredBy::Chain { .. } => None,
    };
    let answers = entries.iter().flat_map(|entry| &entry.answered_by);
    let used: BTreeSet<UsedStep> = answers.filter_map(used_step).collect();
    let (mut unused, mut files) = (Vec::new(), BTreeSet::new());
    for rules in rules {
        let sources = rules.texts().map(|text| text.source.to_string());
        let new: BTreeSet<_> = sources.filter(|source| !files.contains(source)).collect();
        if !new.is_empty() {
            unused.extend(rules.unused(&used).into_iter().filter(|rule| new.contains(&rule.file)));
            files.extend(new);
        }
    }
    // The sort is stable.
    unused.sort_by(|a, b| a.file.cmp(&b.file));
    unused
}

/// Returns the calls that neither a rule nor a chain has answered, and that did not fail on purpose.
fn unmatched(search: &Search<'_>) -> Result<Vec<UnmatchedCall>, Stopped> {
    let unmatched = search.entries.iter().filter(|entry| is_unmatched(entry));
    let listed = unmatched.take(MAX_LISTED).enumerate();
    listed.map(|(index, entry)| search.unmatched_call(entry, index < MAX_COMPARED)).collect()
}

fn is_unmatched(entry: &Entry) -> bool {
    entry.answered_by.iter().all(|answer| *answer == AnsweredBy::Missed)
}

/// Returns the calls whose requests are not recorded, each with its error.
fn unrecorded(search: &Search<'_>) -> Result<Vec<String>, Stopped> {
    let missed = search.entries.iter().filter(|it| it.answered_by.contains(&AnsweredBy::Missed));
    missed.map(|entry| search.unrecorded_call(entry)).collect()
}

/// Describes a call that neither a rule nor a chain has answered. Returns `None` for another one.
pub(crate) fn unmatched_call(
    entry: &Entry,
    calls: &Selected,
    components: &Components,
    work: &Work,
) -> Result<Option<UnmatchedCall>, Stopped> {
    let Selected { entries, redactor, .. } = calls;
    let search = Search { entries, redactor, components, scrubbed: false, work };
    is_unmatched(entry).then(|| search.unmatched_call(entry, true)).transpose()
}
