//! The outcomes that a conversation can have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error as ThisError;

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
