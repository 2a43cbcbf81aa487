//! How often each outcome occurs, and counts by name.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;

/// Maximum number of names. Models can invent names, and recordings can have any number of them.
const MAX_NAMES: usize = 1_000;
/// The name under which the names above the maximum are counted.
const OTHERS: &str = "(others)";

/// Adds to the count of a name.
pub(super) fn add_count<T: Default>(
    counts: &mut BTreeMap<String, T>,
    name: &str,
    add: impl FnOnce(&mut T),
) {
    let name = counted_name(counts, name);
    match counts.get_mut(name) {
        Some(count) => add(count),
        None => add(counts.entry(name.to_owned()).or_default()),
    }
}

/// Returns the name under which a name is counted.
pub(super) fn counted_name<'a, T>(counts: &BTreeMap<String, T>, name: &'a str) -> &'a str {
    if counts.len() < MAX_NAMES || counts.contains_key(name) { name } else { OTHERS }
}

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
            Some(name) => add_count(&mut self.outcome_counts, name, |count| *count += 1),
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
    pub(super) fn finish(&mut self) {
        let total = self.total_conversations.max(1) as f64;
        let percentage = |count: usize| count as f64 * 100.0 / total;
        let counts = self.outcome_counts.iter();
        self.outcome_percentages =
            counts.map(|(name, count)| (name.clone(), percentage(*count))).collect();
        self.percentage_without_outcome = percentage(self.conversations_without_outcome);
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
