//! Patterns that end conversations.

use std::fmt;

use mynah_core::base::pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error};
use thiserror::Error as ThisError;

/// A regular expression that is searched in messages.
///
/// ```
/// use mynah_simulate::Pattern;
/// let goodbye = Pattern::new(r"(?i)\bgoodbye\b")?;
/// assert!(goodbye.is_match("Thanks, Goodbye!"));
/// assert!(Pattern::new("(").is_err());
/// # Ok::<(), mynah_simulate::PatternError>(())
/// ```
#[derive(Debug, Clone, JsonSchema)]
#[schemars(with = "String")]
pub struct Pattern(pattern::Pattern);

/// The error returned if a pattern is invalid.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{0}")]
pub struct PatternError(String);

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Fails if the pattern is not a regular expression or is too large.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        pattern::Pattern::compile(pattern, false).map(Self).map_err(PatternError)
    }

    pub(super) fn into_inner(self) -> pattern::Pattern {
        self.0
    }

    /// Returns `true` if the pattern matches somewhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.regex().is_match(text)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.regex().as_str())
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(source)?).map_err(D::Error::custom)
    }
}
