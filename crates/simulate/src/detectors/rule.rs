//! Detects an outcome by a condition.

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};

use super::Condition;
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
