//! Detectors of outcomes, and judges that end conversations.

// condition  conditions on conversations
// rule       detects an outcome by a condition
// combined   combines detectors
// model      asks a model for the outcome
// judge      asks a model whether a conversation should end

mod combined;
mod condition;
mod judge;
mod model;
mod rule;

pub use self::{
    combined::{FirstDetector, GuardedDetector},
    condition::Condition,
    judge::ModelEndJudge,
    model::ModelDetector,
    rule::RuleDetector,
};
