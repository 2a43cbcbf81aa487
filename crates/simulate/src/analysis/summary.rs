//! The report as text.

use std::fmt;

use mynah_core::base::text::{count, shorten};

use super::{
    outcomes::{OutcomeDistribution, outcome_label},
    report::{AdversarialEvaluation, Failure, Failures, OutcomeComparison, Report},
};

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
