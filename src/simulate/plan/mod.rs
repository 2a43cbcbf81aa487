//! Plans the conversations of a file.
//!
//! A plan is small: it computes each conversation from its position in the run.

// resources     the components, recordings and tools that a file refers to
// participants  the participants
// models        the models
// judges        the models that judge conversations
// examples      selects recorded conversations as examples
// detectors     the detectors
// scenarios     the scenarios
// report        collects errors
// inputs        hashes what the results depend on
// build         builds the participants of a conversation
// read          reads a file
// play          plays the conversations

mod build;
mod detectors;
mod examples;
mod inputs;
mod judges;
mod models;
mod participants;
mod play;
mod read;
mod report;
mod resources;
mod scenarios;

use std::{num::NonZeroUsize, sync::Arc};

pub use self::play::ConnectError;
use self::{detectors::PlannedDetector, judges::PlannedJudge, scenarios::PlannedScenario};
use crate::{
    base::diagnostics::Diagnostic,
    simulate::{Clock, Outcomes, RunIdentity, RunnerSettings},
};

/// The conversations of a simulation. Clones share them.
///
/// ```
/// use mynah::{
///     simulate::{self, EarlierResults, Plan, RunSettings},
///     tool_loop::CancellationToken,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let plan = Plan::load("examples/simulate/support-desk.yaml".as_ref())?;
/// plan.connect().await?;
/// let folder = tempfile::tempdir()?;
/// let settings = RunSettings {
///     out: folder.path().to_owned(),
///     earlier: EarlierResults::Replace,
///     shard: None,
///     in_flight: plan.in_flight(),
/// };
/// let cancel = CancellationToken::new();
/// let play = |index| plan.clone().play(index, cancel.clone());
/// let run = simulate::run(plan.identity(), &settings, play, |_| {}, cancel.clone()).await?;
/// assert_eq!(run.tally.finished, 10);
/// # Ok(())
/// # }
/// ```
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

impl Parts {
    /// Returns the clock of a scenario: the one that the file names, or else the real clock if a
    /// participant or a model is outside of this process.
    fn clock(&self, scenario: &PlannedScenario) -> Clock {
        let Self { rules, detectors, .. } = self;
        let detectors = detectors.iter().filter_map(PlannedDetector::judge);
        let end_on = [&rules.judge, &rules.goal].into_iter().flatten();
        let mut judges = detectors.chain(end_on).chain(scenario.judges());
        let default = match scenario.is_external() || judges.any(|it| it.model.is_external()) {
            true => Clock::Real,
            false => Clock::Virtual,
        };
        rules.settings.clock.unwrap_or(default)
    }
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
