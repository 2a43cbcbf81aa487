//! What ends a conversation after a message, and what it is about.

use std::future::Future;

use super::{
    Detection, Event, Runner,
    play::{Failure, Play, catch_panic},
};
use crate::{DetectorError, EndReason, Intent, Outcome};

/// Maximum number of outcomes that an error lists.
const MAX_LISTED: usize = 10;

impl Play {
    /// Detects an outcome or counts the messages after it.
    pub(super) async fn check_outcome(&mut self) -> Result<Option<EndReason>, Failure> {
        if let Some(left) = &mut self.followups {
            *left = left.saturating_sub(1);
            return Ok((*left == 0).then_some(EndReason::OutcomeFollowup));
        }
        self.detect_outcome().await
    }

    /// Detects an outcome, unless there is one or it is detected at the end.
    pub(super) async fn detect_outcome(&mut self) -> Result<Option<EndReason>, Failure> {
        let settings = &self.runner.settings;
        let (detection, allowed) = (settings.detection, settings.max_messages_after_outcome);
        if self.followups.is_none() && detection == Detection::Each && self.detect().await? {
            self.followups = Some(allowed);
            return Ok((allowed == 0).then_some(EndReason::Outcome));
        }
        Ok(None)
    }

    pub(super) async fn check_end_conditions(&mut self) -> Result<Option<EndReason>, Failure> {
        let end_on = &self.runner.settings.end_on;
        let content = self.conversation.last_message().map_or("", |message| &message.content);
        if end_on.patterns.iter().any(|pattern| pattern.is_match(content)) {
            return Ok(Some(EndReason::Pattern));
        }
        if let Some(judge) = &end_on.judge {
            let judged = async { judge.is_reached(&self.conversation, &self.runner.intents).await };
            if answer("the judge", judged).await? {
                return Ok(Some(EndReason::Judged));
            }
        }
        if let Some(goal) = end_on.goal.clone() {
            self.infer_early_intent().await?;
            let reached = async { goal.is_reached(&self.conversation, &self.runner.intents).await };
            if answer("the judge", reached).await? {
                return Ok(Some(EndReason::Goal));
            }
        }
        Ok(None)
    }

    /// Runs the detector. Returns `true` if it finds an outcome.
    pub(super) async fn detect(&mut self) -> Result<bool, Failure> {
        let Some(detector) = self.runner.detector.clone() else { return Ok(false) };
        if detector.uses_intents() {
            self.infer_early_intent().await?;
        }
        let Runner { intents, outcomes, .. } = &self.runner;
        let detected = async { detector.detect(&self.conversation, intents, outcomes).await };
        let Some(outcome) = answer("the detector", detected).await? else { return Ok(false) };
        let Some(declared) = outcomes.get(&outcome.name) else {
            return Err(Failure::of_detector(self.undeclared(&outcome)));
        };
        self.conversation.outcome = Some(declared.clone());
        self.emit(Event::OutcomeDetected);
        Ok(true)
    }

    fn undeclared(&self, outcome: &Outcome) -> String {
        let names = self.runner.outcomes.iter().map(|declared| format!("{:?}", declared.name));
        let listed: Vec<_> = names.take(MAX_LISTED).collect();
        let declared = if listed.is_empty() { "none".to_owned() } else { listed.join(", ") };
        format!("the outcome {:?} is not declared; declared: {declared}", outcome.name)
    }

    /// Infers the intent before the end, once.
    async fn infer_early_intent(&mut self) -> Result<(), Failure> {
        if self.inferred_from.is_some() { Ok(()) } else { self.infer_intent().await }
    }

    /// Infers the intent at the end, unless it was inferred from the same messages.
    pub(super) async fn infer_final_intent(&mut self) -> Result<(), Failure> {
        let is_complete = self.inferred_from == Some(self.conversation.messages.len());
        if is_complete { Ok(()) } else { self.infer_intent().await }
    }

    /// Infers the intent if none is known.
    async fn infer_intent(&mut self) -> Result<(), Failure> {
        let Runner { extractor: Some(extractor), intents, .. } = &mut self.runner else {
            return Ok(());
        };
        if intents.is_empty() {
            let extracted = async { extractor.extract(&self.conversation).await };
            let intent: Option<Intent> = answer("the intent extractor", extracted).await?;
            intents.extend(intent);
            self.inferred_from = Some(self.conversation.messages.len());
        }
        Ok(())
    }
}

/// Returns the answer of a detector.
async fn answer<T>(
    name: &str,
    work: impl Future<Output = Result<T, DetectorError>>,
) -> Result<T, Failure> {
    match catch_panic(work).await {
        Ok(answer) => answer.map_err(Failure::of_detector),
        Err(panicked) => Err(Failure::of_detector(format!("{name} {panicked}"))),
    }
}
