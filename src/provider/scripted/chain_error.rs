//! The error type for invalid chains.

use std::{error::Error, fmt};

/// The error returned for an invalid chain. Its message includes the location of the problem, such
/// as `step 2, item 1, text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainError {
    /// Path to the invalid element, outermost element first. Empty for the outermost element
    /// itself.
    location: String,
    message: String,
}

impl ChainError {
    /// Creates an error about the element that is being parsed.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { location: String::new(), message: message.into() }
    }

    /// Prepends an enclosing element to the location.
    pub(super) fn within(self, element: impl fmt::Display) -> Self {
        let location = match self.location.as_str() {
            "" => element.to_string(),
            inner => format!("{element}, {inner}"),
        };
        Self { location, ..self }
    }
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location.as_str() {
            "" => f.write_str(&self.message),
            location => write!(f, "{location}: {}", self.message),
        }
    }
}

impl Error for ChainError {}
