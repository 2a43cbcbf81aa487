//! The report of a run, and its summary as text.

use std::{collections::BTreeMap, fmt};

use mynah_core::base::text::{count, shorten};
use serde::Serialize;

use super::{
    index::Index,
    outcomes::{OutcomeDistribution, outcome_label},
    statistics::{DurationStats, MessageDistributionStats},
};
use crate::{EndReason, Shard};

/// The report of a run, as in report.json.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
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

/// How many failures the summary lists.
const LISTED_FAILURES: usize = 3;
/// Maximum length of a listed error, in characters.
const MAX_ERROR: usize = 200;

/// A short summary for people.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, conversations, completed, failures, .. } = self;
        let conversations = count(*conversations, "conversation");
        writeln!(f, "{run}: {conversations}, {completed} completed, {} failed", failures.total)?;
        failed(f, failures)?;
        let stats = &self.message_distribution_comparison;
        let (simulated, original) = (&stats.simulated_stats, &stats.original_stats);
        write!(f, "messages: {:.1} on average", simulated.mean_messages)?;
        if self.outcome_comparison.original_distribution.total_conversations > 0 {
            write!(f, ", {:.1} in the recording", original.mean_messages)?;
        }
        writeln!(f)?;
        outcomes(f, &self.outcome_comparison)?;
        match &self.adversarial_evaluation {
            None => Ok(()),
            Some(AdversarialEvaluation::Skipped { skipped }) => {
                writeln!(f, "adversarial evaluation: skipped, {skipped}")
            }
            Some(AdversarialEvaluation::Evaluated {
                total_pairs_evaluated,
                correct_identifications,
                ..
            }) => writeln!(
                f,
                "adversarial evaluation: {correct_identifications} of {total_pairs_evaluated} pairs \
                 identified"
            ),
        }
    }
}

/// The first failures, and how to play them again.
fn failed(f: &mut fmt::Formatter<'_>, failures: &Failures) -> fmt::Result {
    for Failure { id, end_reason, error } in failures.examples.iter().take(LISTED_FAILURES) {
        writeln!(f, "{id}: {end_reason}: {}", shorten(error, MAX_ERROR))?;
    }
    match failures.total {
        0 => Ok(()),
        _ => writeln!(f, "to play failed conversations again, use --retry-failed"),
    }
}

/// A table of the outcomes.
fn outcomes(f: &mut fmt::Formatter<'_>, comparison: &OutcomeComparison) -> fmt::Result {
    let OutcomeComparison {
        original_distribution: original,
        original_with_predicted_outcomes: predicted,
        simulated_distribution: simulated,
    } = comparison;
    let recorded = original.total_conversations > 0;
    let row = |f: &mut fmt::Formatter<'_>, name: &str, cells: [String; 3]| {
        let [simulated, original, predicted] = cells;
        match recorded {
            true => writeln!(f, "{name:<20} {simulated:>15} {original:>15} {predicted:>15}"),
            false => writeln!(f, "{name:<20} {simulated:>15}"),
        }
    };
    row(f, "outcome", ["simulated", "recorded", "detected"].map(str::to_owned))?;
    let all = [simulated, original, predicted];
    let names: std::collections::BTreeSet<_> =
        all.iter().flat_map(|distribution| distribution.outcome_counts.keys()).collect();
    for name in names {
        row(f, &outcome_label(Some(name)), all.map(|distribution| cell(distribution, Some(name))))?;
    }
    if all.iter().any(|distribution| distribution.conversations_without_outcome > 0) {
        row(f, &outcome_label(None), all.map(|distribution| cell(distribution, None)))?;
    }
    Ok(())
}

/// The number of conversations with an outcome, or without one, and their percentage.
fn cell(distribution: &OutcomeDistribution, outcome: Option<&str>) -> String {
    let (count, percentage) = distribution.share(outcome);
    format!("{count} ({percentage:.1}%)")
}
