//! How often each outcome occurs.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;

use super::counts;

/// Name of the group of conversations without an outcome.
const NO_OUTCOME: &str = "no outcome";
/// Name of the group of conversations that failed.
pub(crate) const FAILED_GROUP: &str = "failed";

/// How often each outcome occurs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OutcomeDistribution {
    /// The number of conversations.
    pub total_conversations: usize,
    /// The number of conversations with each outcome, by name.
    pub outcome_counts: BTreeMap<String, usize>,
    /// Their percentages of all conversations, by name.
    pub outcome_percentages: BTreeMap<String, f64>,
    /// The number of conversations without an outcome.
    pub conversations_without_outcome: usize,
    /// Their percentage of all conversations.
    pub percentage_without_outcome: f64,
}

impl OutcomeDistribution {
    /// Counts a conversation.
    pub(super) fn add(&mut self, outcome: Option<&str>) {
        self.total_conversations += 1;
        match outcome {
            Some(name) => counts::add(&mut self.outcome_counts, name, |count| *count += 1),
            None => self.conversations_without_outcome += 1,
        }
    }

    /// Returns the number and the percentage of the conversations with an outcome, or without one.
    pub(crate) fn share(&self, outcome: Option<&str>) -> (usize, f64) {
        match outcome {
            Some(name) => (
                self.outcome_counts.get(name).copied().unwrap_or_default(),
                self.outcome_percentages.get(name).copied().unwrap_or_default(),
            ),
            None => (self.conversations_without_outcome, self.percentage_without_outcome),
        }
    }

    /// Calculates the percentages.
    pub(super) fn finish(self) -> Self {
        let total = self.total_conversations.max(1) as f64;
        let percentage = |count: usize| count as f64 * 100.0 / total;
        let percentages =
            self.outcome_counts.iter().map(|(name, count)| (name.clone(), percentage(*count)));
        Self {
            outcome_percentages: percentages.collect(),
            percentage_without_outcome: percentage(self.conversations_without_outcome),
            ..self
        }
    }
}

/// Returns the text for an outcome or for none. An outcome with the name of another group is quoted.
pub(crate) fn outcome_label(name: Option<&str>) -> Cow<'_, str> {
    match name {
        None => Cow::Borrowed(NO_OUTCOME),
        Some(name @ (NO_OUTCOME | FAILED_GROUP)) => Cow::Owned(format!("outcome {name:?}")),
        Some(name) => Cow::Borrowed(name),
    }
}
