//! Detectors of outcomes, and judges that end conversations.

// condition  conditions on conversations
// model      asks a model for the outcome, or whether a conversation should end

mod condition;
mod model;

use std::{fmt, sync::Arc};

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};

pub use self::{
    condition::Condition,
    model::{ModelDetector, ModelEndJudge},
};
use crate::{Conversation, DetectorError, Intent, Outcome, OutcomeDetector, Outcomes};

/// Detects an outcome if a condition holds.
#[derive(Debug, Clone)]
pub struct RuleDetector {
    outcome: String,
    condition: Condition,
}

impl RuleDetector {
    /// Creates a detector of the outcome with this name.
    pub fn new(outcome: impl Into<String>, condition: Condition) -> Self {
        Self { outcome: outcome.into(), condition }
    }
}

impl OutcomeDetector for RuleDetector {
    fn detect<'a>(
        &'a self,
        conversation: &'a Conversation,
        _: &'a [Intent],
        outcomes: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>> {
        let outcome = self.condition.holds(conversation).then(|| {
            outcomes.get(&self.outcome).cloned().ok_or_else(|| {
                DetectorError::new(format_args!("the outcome {:?} is not declared", self.outcome))
            })
        });
        future::ready(outcome.transpose()).boxed()
    }

    fn uses_intents(&self) -> bool {
        false
    }
}

/// Asks several detectors in order, until one of them finds an outcome.
#[derive(Clone, Default)]
pub struct FirstDetector(Vec<Arc<dyn OutcomeDetector>>);

/// Asks a detector only if a condition holds.
#[derive(Debug, Clone)]
pub struct GuardedDetector<D> {
    condition: Condition,
    detector: D,
}

impl FirstDetector {
    /// Creates a detector that asks these detectors.
    pub fn new(detectors: Vec<Arc<dyn OutcomeDetector>>) -> Self {
        Self(detectors)
    }
}

impl<D> GuardedDetector<D> {
    /// Creates a detector that asks `detector` if the condition holds.
    pub fn new(condition: Condition, detector: D) -> Self {
        Self { condition, detector }
    }
}

impl OutcomeDetector for FirstDetector {
    fn detect<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
        outcomes: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>> {
        let detect = async move {
            for detector in &self.0 {
                let outcome = detector.detect(conversation, intents, outcomes).await?;
                if outcome.is_some() {
                    return Ok(outcome);
                }
            }
            Ok(None)
        };
        detect.boxed()
    }

    fn uses_intents(&self) -> bool {
        self.0.iter().any(|detector| detector.uses_intents())
    }

    fn is_external(&self) -> bool {
        self.0.iter().any(|detector| detector.is_external())
    }
}

impl<D: OutcomeDetector> OutcomeDetector for GuardedDetector<D> {
    fn detect<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
        outcomes: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>> {
        if self.condition.holds(conversation) {
            self.detector.detect(conversation, intents, outcomes)
        } else {
            std::future::ready(Ok(None)).boxed()
        }
    }

    fn uses_intents(&self) -> bool {
        self.detector.uses_intents()
    }

    fn is_external(&self) -> bool {
        self.detector.is_external()
    }
}

impl fmt::Debug for FirstDetector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstDetector").field("detectors", &self.0.len()).finish()
    }
}
