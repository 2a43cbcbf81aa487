//! Counts outcomes and failures.

use std::{collections::BTreeMap, path::PathBuf};

use crate::ConversationResult;

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

impl Tally {
    /// Adds a conversation.
    pub(super) fn add(&mut self, result: &ConversationResult) {
        self.finished += 1;
        match result.outcome_name() {
            _ if result.end_reason.is_failure() => self.failed += 1,
            Some(name) => *self.outcomes.entry(name.to_owned()).or_default() += 1,
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
