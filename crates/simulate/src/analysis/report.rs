//! The report of a run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    index::Index,
    outcomes::OutcomeDistribution,
    statistics::{DurationStats, MessageDistributionStats},
};
use crate::{EndReason, Shard};

/// The report of a run, as in report.json.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Name of the run.
    pub run: String,
    /// Hash of the simulate file and its inputs.
    pub hash: String,
    /// The shard, if only a part of the run was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The number of conversations.
    pub conversations: usize,
    /// How many of them did not fail. The comparisons and statistics are about these.
    pub completed: usize,
    /// The conversations that failed.
    pub failures: Failures,
    /// How many conversations ended for each reason.
    pub end_reasons: BTreeMap<EndReason, usize>,
    /// The outcomes, compared with those of the recorded conversations.
    pub outcome_comparison: OutcomeComparison,
    /// The numbers of messages, compared with those of the recorded conversations.
    pub message_distribution_comparison: MessageComparison,
    /// The durations, in virtual time.
    pub durations: DurationStats,
    /// The use of tools, by name.
    pub tool_use: BTreeMap<String, ToolReport>,
    /// The scenarios, by id.
    pub scenarios: BTreeMap<String, ScenarioReport>,
    /// Whether a judge can tell simulated conversations from recorded ones, if a judge is configured.
    pub adversarial_evaluation: Option<AdversarialEvaluation>,
    /// Where the conversations are.
    #[serde(skip)]
    pub(crate) index: Index,
}

/// The conversations in which a participant or a detector failed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Failures {
    /// The number of failed conversations.
    pub total: usize,
    /// The first of them.
    pub examples: Vec<Failure>,
}

/// A failed conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// Id of the conversation.
    pub id: String,
    /// What failed.
    pub end_reason: EndReason,
    /// The error.
    pub error: String,
}

/// The outcomes of recorded and simulated conversations.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OutcomeComparison {
    /// The outcomes in the recording.
    pub original_distribution: OutcomeDistribution,
    /// The outcomes that the detectors find in the recorded conversations. If they find none, the
    /// outcome in the recording counts.
    pub original_with_predicted_outcomes: OutcomeDistribution,
    /// The outcomes of the simulated conversations.
    pub simulated_distribution: OutcomeDistribution,
}

/// The numbers of messages in recorded and simulated conversations.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MessageComparison {
    /// The recorded conversations.
    pub original_stats: MessageDistributionStats,
    /// The simulated conversations.
    pub simulated_stats: MessageDistributionStats,
}

/// The use of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolReport {
    /// The number of calls.
    pub calls: usize,
    /// The number of conversations with a call.
    pub conversations: usize,
}

/// The conversations of a scenario.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ScenarioReport {
    /// The number of conversations.
    pub conversations: usize,
    /// How many of them failed.
    pub failed: usize,
    /// How many of the others had each outcome, by name.
    pub outcomes: BTreeMap<String, usize>,
    /// How many of the others had no outcome.
    pub without_outcome: usize,
    /// The mean number of messages of the others.
    pub mean_messages: f64,
    #[serde(skip)]
    pub(super) messages: usize,
}

/// Whether a judge can tell simulated conversations from recorded ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AdversarialEvaluation {
    /// The judge compared pairs of conversations.
    Evaluated {
        /// The number of pairs for which the judge gave a valid answer.
        total_pairs_evaluated: usize,
        /// How many of these answers were correct.
        correct_identifications: usize,
        /// The proportion of correct answers, or 0 without valid answers.
        accuracy: f64,
        /// The number of pairs for which the judge failed or gave another answer than A or B.
        invalid_answers: usize,
    },
    /// There was nothing to compare.
    Skipped {
        /// Why.
        skipped: String,
    },
}
