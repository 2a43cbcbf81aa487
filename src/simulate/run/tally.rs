//! Counts outcomes and failures.

use std::{borrow::Cow, collections::BTreeMap, path::PathBuf};

use serde::Deserialize;

use crate::simulate::{EndReason, SimulatedConversation};

/// What a run wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunSummary {
    /// The file with the results.
    pub results: PathBuf,
    /// The number of conversations that an earlier, interrupted run had played.
    pub resumed: usize,
    /// The conversations in the file.
    pub tally: Tally,
}

/// Counts of finished conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// The number of conversations.
    pub finished: usize,
    /// How many of them failed, because a participant or a detector failed.
    pub failed: usize,
    /// How many of the others had each outcome.
    pub outcomes: BTreeMap<String, usize>,
    /// How many of the others had no outcome.
    pub without_outcome: usize,
}

/// The parts of a result that are counted.
pub(super) struct Counted<'a> {
    end_reason: EndReason,
    outcome: Option<Cow<'a, str>>,
}

impl<'a> From<&'a SimulatedConversation> for Counted<'a> {
    fn from(conversation: &'a SimulatedConversation) -> Self {
        let result = &conversation.result;
        let outcome = result.outcome_name().map(Cow::Borrowed);
        Self { end_reason: result.end_reason, outcome }
    }
}

impl Counted<'_> {
    /// Returns `true` if a participant or a detector failed.
    pub(super) fn is_failure(&self) -> bool {
        self.end_reason.is_failure()
    }

    /// Copies what is borrowed.
    pub(super) fn into_owned(self) -> Counted<'static> {
        let outcome = self.outcome.map(|name| Cow::Owned(name.into_owned()));
        Counted { end_reason: self.end_reason, outcome }
    }
}

impl Tally {
    /// Adds a conversation.
    pub(super) fn add(&mut self, counted: Counted<'_>) {
        self.finished += 1;
        match counted.outcome {
            _ if counted.is_failure() => self.failed += 1,
            Some(name) => *self.outcomes.entry(name.into_owned()).or_default() += 1,
            None => self.without_outcome += 1,
        }
    }

    /// Adds the counts of other conversations.
    pub(super) fn join(&mut self, other: Self) {
        self.finished += other.finished;
        self.failed += other.failed;
        self.without_outcome += other.without_outcome;
        for (name, count) in other.outcomes {
            *self.outcomes.entry(name).or_default() += count;
        }
    }
}

/// A line of results.jsonl, as far as it is needed to continue a run. The rest is only checked to be
/// JSON.
#[derive(Deserialize)]
pub(super) struct Entry<'a> {
    pub(super) index: usize,
    end_reason: EndReason,
    #[serde(borrow)]
    conversation: EntryConversation<'a>,
}

#[derive(Deserialize)]
struct EntryConversation<'a> {
    #[serde(borrow)]
    outcome: Option<EntryOutcome<'a>>,
}

#[derive(Deserialize)]
struct EntryOutcome<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

impl<'a> From<Entry<'a>> for Counted<'a> {
    fn from(entry: Entry<'a>) -> Self {
        let outcome = entry.conversation.outcome.map(|outcome| outcome.name);
        Self { end_reason: entry.end_reason, outcome }
    }
}
