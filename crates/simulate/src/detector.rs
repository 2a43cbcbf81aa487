//! The interfaces of outcome detectors and of judges that end conversations.

use std::{fmt::Display, sync::Arc};

use futures_util::future::BoxFuture;
use thiserror::Error as ThisError;

use super::{Conversation, Intent, Outcome, Outcomes};

/// Decides whether a conversation has reached an outcome.
pub trait OutcomeDetector: Send + Sync {
    /// Returns the outcome that the conversation has reached, if any. It must be one of `outcomes`.
    ///
    /// # Errors
    ///
    /// An error ends the conversation with the end reason `detector_error`.
    fn detect<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
        outcomes: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>>;

    /// Returns `false` if the detector ignores the intents, so that they need not be inferred for it.
    fn uses_intents(&self) -> bool {
        true
    }

    /// Returns `true` if the detector is outside of this process. The conversation then follows the real
    /// clock, unless the settings say otherwise.
    fn is_external(&self) -> bool {
        false
    }
}

impl<T: OutcomeDetector + ?Sized> OutcomeDetector for Arc<T> {
    fn detect<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
        outcomes: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>> {
        (**self).detect(conversation, intents, outcomes)
    }

    fn uses_intents(&self) -> bool {
        (**self).uses_intents()
    }

    fn is_external(&self) -> bool {
        (**self).is_external()
    }
}

/// Decides whether a conversation has reached its end or a goal.
pub trait EndJudge: Send + Sync {
    /// Returns `true` if the conversation should end.
    ///
    /// # Errors
    ///
    /// An error ends the conversation with the end reason `detector_error`.
    fn is_reached<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
    ) -> BoxFuture<'a, Result<bool, DetectorError>>;

    /// Returns `true` if the judge is outside of this process. The conversation then follows the real
    /// clock, unless the settings say otherwise.
    fn is_external(&self) -> bool {
        false
    }
}

/// A detector cannot decide.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{0}")]
pub struct DetectorError(String);

impl DetectorError {
    /// Creates an error with this message.
    pub fn new(message: impl Display) -> Self {
        Self(message.to_string())
    }
}
