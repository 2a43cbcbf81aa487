//! Plans the conversations of a file.
//!
//! A plan is small: it computes each conversation from its position in the run.

// report     collects errors
// inputs     hashes what the results depend on
// checker    checks a file and what it refers to
//   judge    a model that judges conversations or finds intents
//   tools    the tools
// detectors  the detectors
// scenarios  the scenarios
// read       reads a file
// play       plays the conversations

mod checker;
mod detectors;
mod inputs;
mod judge;
mod play;
mod read;
mod report;
mod scenarios;
mod tools;

use std::{num::NonZeroUsize, sync::Arc};

use mynah_core::base::diagnostics::Diagnostic;

pub use self::play::ConnectError;
pub(super) use self::{checker::Checker, tools::PlannedTools};
use self::{detectors::PlannedDetector, judge::PlannedJudge, scenarios::PlannedScenario};
use crate::{Model, Outcomes, RunIdentity, RunnerSettings};

/// The conversations of a simulation. Clones share them.
///
/// The crate `mynah` has an implementation of [`Models`](crate::Models) to read one from a file.
#[derive(Clone)]
pub struct Plan(Arc<Parts>);

/// The mistakes in a simulation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct InvalidSimulation(pub Vec<Diagnostic>);

struct Parts {
    identity: RunIdentity,
    in_flight: NonZeroUsize,
    outcomes: Arc<Outcomes>,
    detectors: Vec<PlannedDetector>,
    scenarios: Vec<PlannedScenario>,
    rules: Rules,
    /// Tells simulated conversations from recorded ones.
    adversarial: Option<PlannedJudge>,
    /// All models that judge conversations or find intents.
    judges: Vec<Arc<dyn Model>>,
    warnings: Vec<Diagnostic>,
}

/// The rules of all conversations.
struct Rules {
    /// The settings without judges, of which each conversation has its own.
    settings: RunnerSettings,
    /// Judges whether a conversation is complete.
    judge: Option<PlannedJudge>,
    /// Judges whether the customer has reached the goal.
    goal: Option<PlannedJudge>,
}

impl Plan {
    /// Returns warnings about keys without an effect, in the order of their places.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.0.warnings
    }

    /// Returns what identifies the run.
    pub fn identity(&self) -> &RunIdentity {
        &self.0.identity
    }

    /// Returns the number of conversations to play at the same time.
    pub fn in_flight(&self) -> NonZeroUsize {
        self.0.in_flight
    }
}
