//! What the conversations of a run have in common, and how they differ from recorded ones.
//!
//! The results are read once, line by line. Only counts, the places of the conversations in the file,
//! and hashes of the recorded conversations are kept: up to 100 bytes for each conversation.

// counts        counts by name
// outcomes      how often each outcome occurs
// statistics    statistics of numbers
// random        reproducible random choices
// index         the places of the conversations in the results
// report        the report of a run
// gather        reads the results and counts
// adversarial   asks a judge which conversations are real
// evaluation    chooses the conversations that the judge compares
// analyse       analyses the results in a folder
// summary       the report as text

mod adversarial;
mod analyse;
mod counts;
mod evaluation;
mod gather;
mod index;
mod outcomes;
mod random;
mod report;
mod statistics;
mod summary;

pub use self::{
    adversarial::AdversarialTester,
    analyse::analyse,
    outcomes::OutcomeDistribution,
    report::{
        AdversarialEvaluation, Failure, Failures, MessageComparison, OutcomeComparison, Report,
        ScenarioReport, ToolReport,
    },
    statistics::{DurationStats, MessageDistributionStats},
};
pub(crate) use self::{
    index::Group,
    outcomes::{FAILED_GROUP, outcome_label},
};
