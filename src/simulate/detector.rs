//! The interface of outcome detectors.

use std::fmt::Display;

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
