//! The outcomes that a conversation can have, and the interfaces of detectors and of judges that end
//! conversations.

use std::{fmt::Display, sync::Arc};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error as ThisError;

use super::{Conversation, Intent};

/// An outcome of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Name, usually a slug such as `resolved`.
    pub name: String,
    /// Description for people and models.
    pub description: String,
}

impl Outcome {
    /// Creates an outcome.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into() }
    }
}

/// The outcomes that the conversations of a run can have, with unique names.
///
/// ```
/// use mynah_simulate::{Outcome, Outcomes};
/// let resolved = Outcome::new("resolved", "The issue was fully resolved");
/// let outcomes = Outcomes::new(vec![resolved.clone()])?;
/// assert_eq!(outcomes.get("resolved"), Some(&resolved));
/// assert_eq!(outcomes.get("Resolved"), None);
/// assert!(Outcomes::new(vec![resolved.clone(), resolved]).is_err());
/// # Ok::<(), mynah_simulate::OutcomesError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcomes(Vec<Outcome>);

/// Two outcomes have the same name.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("outcome names must be unique: {0:?} is used twice")]
pub struct OutcomesError(String);

impl Outcomes {
    /// Creates a set of outcomes. It may be empty.
    ///
    /// # Errors
    ///
    /// Fails if two outcomes have the same name.
    pub fn new(outcomes: Vec<Outcome>) -> Result<Self, OutcomesError> {
        let is_repeated =
            |at: &usize| outcomes[..*at].iter().any(|it| it.name == outcomes[*at].name);
        match (0..outcomes.len()).find(is_repeated) {
            Some(at) => Err(OutcomesError(outcomes[at].name.clone())),
            None => Ok(Self(outcomes)),
        }
    }

    /// Returns the outcome with this name. Upper and lower case differ.
    pub fn get(&self, name: &str) -> Option<&Outcome> {
        self.0.iter().find(|outcome| outcome.name == name)
    }

    /// Iterates over the outcomes in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Outcome> {
        self.0.iter()
    }

    /// Returns `true` if there are no outcomes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

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
