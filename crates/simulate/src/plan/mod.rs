//! Plans the conversations of a file.
//!
//! A plan is small: it computes each conversation from its position in the run.

// report     collects errors, and hashes what the results depend on
// checker    checks a file and what it refers to
// detectors  the detectors
// scenarios  the scenarios
// read       reads a file

mod checker;
mod detectors;
mod read;
mod report;
mod scenarios;

use std::{num::NonZeroUsize, panic::AssertUnwindSafe, sync::Arc};

use futures_util::{
    FutureExt,
    future::{try_join, try_join_all},
};
use mynah_core::base::diagnostics::Diagnostic;
use tokio_util::sync::CancellationToken;

pub(super) use self::checker::{Checker, PlannedTools};
use self::{checker::PlannedJudge, detectors::PlannedDetector, scenarios::PlannedScenario};
use crate::{
    AdversarialTester, Conversation, ConversationResult, DetectorError, EndConditions, EndReason,
    Intent, IntentExtractor, MessageDraft, Model, ModelIntentExtractor, OriginalConversation,
    OutcomeDetector, Outcomes, ParticipantRole, RunIdentity, Runner, RunnerSettings,
    SimulatedConversation, detectors::ModelEndJudge, kinds::Start, result::PANICKED,
};

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
    /// The settings without judges, of which each conversation has its own.
    settings: RunnerSettings,
    /// Judges whether a conversation is complete.
    judge: Option<PlannedJudge>,
    /// Judges whether the customer has reached the goal.
    goal: Option<PlannedJudge>,
    /// Tells simulated conversations from recorded ones.
    adversarial: Option<PlannedJudge>,
    /// All models that judge conversations or find intents.
    judges: Vec<Arc<dyn Model>>,
    warnings: Vec<Diagnostic>,
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

/// A sidecar or a server of tools cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConnectError(String);

impl Plan {
    /// Connects to the sidecars and servers that the participants and the judges need.
    ///
    /// # Errors
    ///
    /// Fails if one of them cannot be used.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        let scenarios = self.0.scenarios.iter();
        let participants = scenarios.flat_map(|scenario| [&scenario.customer, &scenario.agent]);
        let participants = try_join_all(participants.map(|participant| participant.connect()));
        participants.await.map_err(ConnectError)?;
        let judges = self.0.judges.iter().map(|model| model.connect());
        try_join_all(judges).await.map(drop).map_err(ConnectError)
    }

    /// Plays the conversation at a position in the run. Errors are its end reason.
    pub async fn play(self, index: usize, cancel: CancellationToken) -> SimulatedConversation {
        let scenarios = &self.0.scenarios;
        let after = scenarios.partition_point(|scenario| scenario.first <= index);
        // The first scenario starts at 0, and a plan has at least one.
        let scenario = &scenarios[after.saturating_sub(1)];
        let number = index - scenario.first;
        let id = format!("{}-{number}", scenario.id);
        let cancelled = || ConversationResult::not_started(EndReason::Cancelled, "cancelled");
        let played = self.play_start(scenario, number, &id, cancel.clone());
        // The models that judge recorded conversations are outside of the runner.
        let played = cancel.run_until_cancelled(played);
        let played = played.map(|played| played.unwrap_or_else(|| (None, cancelled())));
        let (original, result) =
            AssertUnwindSafe(played).catch_unwind().await.unwrap_or_else(|_| {
                let reason = EndReason::ParticipantError;
                (None, ConversationResult::not_started(reason, PANICKED))
            });
        SimulatedConversation { id, index, scenario: scenario.id.clone(), original, result }
    }

    /// Plays a conversation of a scenario. Returns its recorded conversation, if any, and the result.
    async fn play_start(
        &self,
        scenario: &PlannedScenario,
        number: usize,
        id: &str,
        cancel: CancellationToken,
    ) -> (Option<OriginalConversation>, ConversationResult) {
        let Some((message, original)) = scenario.start(number) else {
            let error = "the recorded conversation cannot be read";
            let reason = EndReason::ParticipantError;
            return (None, ConversationResult::not_started(reason, error));
        };
        let original = match original {
            Some(original) => Some(self.with_prediction(original, id).await),
            None => None,
        };
        let recorded = original.as_ref().map(|original| &original.conversation);
        let result = self.run(scenario, id, message, recorded, cancel).await;
        (original, result)
    }

    async fn run(
        &self,
        scenario: &PlannedScenario,
        id: &str,
        message: MessageDraft,
        recorded: Option<&Conversation>,
        cancel: CancellationToken,
    ) -> ConversationResult {
        let not_started = ConversationResult::not_started;
        let intents = match intents(scenario, id, recorded).await {
            Ok(intents) => intents,
            Err(error) => return not_started(EndReason::DetectorError, &error.to_string()),
        };
        let start = Start { recorded, intents: &intents };
        let customer = scenario.customer.build(ParticipantRole::Customer, &start);
        let agent = scenario.agent.build(ParticipantRole::Agent, &start);
        let (customer, agent) = match try_join(customer, agent).await {
            Ok(both) => both,
            Err(error) => return not_started(EndReason::ParticipantError, &error),
        };
        let mut runner = Runner::new(customer, agent, message)
            .id(id)
            .intents(intents)
            .outcomes(self.0.outcomes.clone())
            .settings(self.settings(scenario, id))
            .cancel_with(cancel);
        if !self.0.detectors.is_empty() {
            runner = runner.detector(detectors::build(&self.0.detectors, id));
        }
        if let Some(judge) = &scenario.infer_intent {
            runner = runner.infer_intent(ModelIntentExtractor::new(judge.build(id)));
        }
        runner.run().await
    }

    fn settings(&self, scenario: &PlannedScenario, id: &str) -> RunnerSettings {
        let Parts { settings, judge, goal, .. } = &*self.0;
        let judge = judge.as_ref().map(|it| ModelEndJudge::of_completion(it.build(id)));
        let goal = goal.as_ref().map(|it| ModelEndJudge::of_goal(it.build(id)));
        let end_on = EndConditions {
            judge: judge.map(|judge| Arc::new(judge) as _),
            goal: goal.map(|goal| Arc::new(goal) as _),
            ..settings.end_on.clone()
        };
        RunnerSettings { end_on, clock: Some(scenario.clock), ..settings.clone() }
    }

    /// Adds the outcome that the detectors find in a recorded conversation, or their error.
    async fn with_prediction(
        &self,
        mut original: OriginalConversation,
        id: &str,
    ) -> OriginalConversation {
        let detector = detectors::build(&self.0.detectors, id);
        // The recorded outcome would give the answer away.
        let outcome = original.conversation.outcome.take();
        let found = detector.detect(&original.conversation, &[], &self.0.outcomes).await;
        original.conversation.outcome = outcome;
        match found {
            Ok(found) => original.predicted_outcome = found.map(|outcome| outcome.name),
            Err(error) => {
                tracing::warn!("the outcome of {} cannot be predicted: {error}", original.id);
                original.prediction_error = Some(error.to_string());
            }
        }
        original
    }

    /// Returns what tells simulated conversations from recorded ones, if the file asks for it.
    pub fn adversarial_tester(&self) -> Option<AdversarialTester> {
        self.0.adversarial.as_ref().map(PlannedJudge::adversarial_tester)
    }
}

/// Returns the intents of a scenario, or the one of the recorded conversation.
async fn intents(
    scenario: &PlannedScenario,
    id: &str,
    recorded: Option<&Conversation>,
) -> Result<Vec<Intent>, DetectorError> {
    match (scenario.recorded_intents(), recorded) {
        (Some(judge), Some(recorded)) if scenario.intents.is_empty() => {
            let intent = ModelIntentExtractor::new(judge.build(id)).extract(recorded).await?;
            Ok(intent.into_iter().collect())
        }
        _ => Ok(scenario.intents.clone()),
    }
}
