//! Plays the conversations of a plan.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt, future::try_join_all};
use tokio_util::sync::CancellationToken;

use super::{
    Parts, Plan,
    detectors::{self, PlannedDetector},
    judges::PlannedJudge,
    scenarios::PlannedScenario,
};
use crate::simulate::{
    AdversarialTester, Conversation, ConversationResult, DetectorError, EndConditions, EndReason,
    Intent, IntentExtractor, MessageDraft, ModelIntentExtractor, OriginalConversation,
    OutcomeDetector, ParticipantRole, Runner, RunnerSettings, SimulatedConversation,
    detectors::ModelEndJudge, result::PANICKED,
};

/// A sidecar or a server of tools cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConnectError(String);

/// A conversation could not be started.
struct NotStarted {
    reason: EndReason,
    error: String,
}

impl Plan {
    /// Connects to the sidecars and servers that the participants and the judges need.
    ///
    /// # Errors
    ///
    /// Fails if one of them cannot be used.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        self.connect_all().await.map_err(ConnectError)
    }

    async fn connect_all(&self) -> Result<(), String> {
        let scenarios = self.0.scenarios.iter();
        let participants = scenarios.flat_map(|scenario| [&scenario.customer, &scenario.agent]);
        try_join_all(participants.map(|participant| participant.connect())).await?;
        try_join_all(self.judges().map(|judge| judge.model.connect())).await.map(drop)
    }

    /// Iterates over the models that judge conversations or find intents.
    fn judges(&self) -> impl Iterator<Item = &PlannedJudge> {
        let Parts { scenarios, detectors, rules, adversarial, .. } = &*self.0;
        let detectors = detectors.iter().filter_map(PlannedDetector::judge);
        let of_run = [&rules.judge, &rules.goal, adversarial].into_iter().flatten();
        let of_scenarios = scenarios.iter().flat_map(PlannedScenario::judges);
        detectors.chain(of_run).chain(of_scenarios)
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
        let original = self.with_prediction(original, id).await;
        let recorded = original.as_ref().map(|original| &original.conversation);
        let result = self.run(scenario, id, message, recorded, cancel).await;
        (original, result.unwrap_or_else(NotStarted::into_result))
    }

    async fn run(
        &self,
        scenario: &PlannedScenario,
        id: &str,
        message: MessageDraft,
        recorded: Option<&Conversation>,
        cancel: CancellationToken,
    ) -> Result<ConversationResult, NotStarted> {
        let time_limit = self.0.rules.settings.message_timeout;
        let failed = |error| NotStarted { reason: EndReason::ParticipantError, error };
        let intents = self.intents(scenario, id, recorded).await?;
        let customer = scenario.customer.build(ParticipantRole::Customer, recorded, &intents);
        let agent = scenario.agent.build(ParticipantRole::Agent, recorded, &intents);
        let (customer, agent) = (customer.await.map_err(failed)?, agent.await.map_err(failed)?);
        let mut runner = Runner::new(customer, agent, message)
            .id(id)
            .intents(intents)
            .outcomes(self.0.outcomes.clone())
            .settings(self.settings(scenario, id))
            .cancel_with(cancel);
        if !self.0.detectors.is_empty() {
            runner = runner.detector(detectors::build(&self.0.detectors, id, time_limit));
        }
        if let Some(judge) = &scenario.infer_intent {
            let model = judge.build(id, time_limit);
            runner = runner.infer_intent(ModelIntentExtractor::new(model));
        }
        Ok(runner.run().await)
    }

    /// Returns the intents of a scenario, or the one of the recorded conversation.
    async fn intents(
        &self,
        scenario: &PlannedScenario,
        id: &str,
        recorded: Option<&Conversation>,
    ) -> Result<Vec<Intent>, NotStarted> {
        match (&scenario.recorded_intents, recorded) {
            (Some(judge), Some(recorded)) if scenario.intents.is_empty() => {
                let model = judge.build(id, self.0.rules.settings.message_timeout);
                let intent = ModelIntentExtractor::new(model).extract(recorded).await;
                let failed = |error: DetectorError| {
                    let (reason, error) = (EndReason::DetectorError, error.to_string());
                    NotStarted { reason, error }
                };
                Ok(intent.map_err(failed)?.into_iter().collect())
            }
            _ => Ok(scenario.intents.clone()),
        }
    }

    fn settings(&self, scenario: &PlannedScenario, id: &str) -> RunnerSettings {
        let rules = &self.0.rules;
        let limit = rules.settings.message_timeout;
        let judge =
            rules.judge.as_ref().map(|it| ModelEndJudge::of_completion(it.build(id, limit)));
        let goal = rules.goal.as_ref().map(|it| ModelEndJudge::of_goal(it.build(id, limit)));
        let end_on = EndConditions {
            judge: judge.map(|judge| Arc::new(judge) as _),
            goal: goal.map(|goal| Arc::new(goal) as _),
            ..rules.settings.end_on.clone()
        };
        RunnerSettings { end_on, clock: Some(self.0.clock(scenario)), ..rules.settings.clone() }
    }

    /// Adds the outcome that the detectors find in a recorded conversation, or their error.
    async fn with_prediction(
        &self,
        original: Option<OriginalConversation>,
        id: &str,
    ) -> Option<OriginalConversation> {
        let mut original = original?;
        let detector =
            detectors::build(&self.0.detectors, id, self.0.rules.settings.message_timeout);
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
        Some(original)
    }

    /// Returns what tells simulated conversations from recorded ones, if the file asks for it.
    pub fn adversarial_tester(&self) -> Option<AdversarialTester> {
        let judge = self.0.adversarial.clone()?;
        let instructions = judge.instructions.clone();
        let limit = self.0.rules.settings.message_timeout;
        let tester = AdversarialTester::new(move || judge.model.provider());
        let tester = tester.with_time_limit(limit);
        Some(match instructions {
            Some(instructions) => tester.with_instructions(instructions),
            None => tester,
        })
    }
}

impl NotStarted {
    fn into_result(self) -> ConversationResult {
        ConversationResult::not_started(self.reason, self.error)
    }
}
