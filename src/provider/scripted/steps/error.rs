//! The error type for invalid steps.

use std::{error::Error, fmt};

/// The error returned for an invalid chain, step or rule. Its message includes the location of the problem, such
/// as `step 2, item 1, text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepError {
    /// Path to the invalid element, outermost element first. Empty for the outermost element
    /// itself.
    location: String,
    message: String,
}

impl StepError {
    /// Creates an error about the element that is being parsed.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { location: String::new(), message: message.into() }
    }

    /// Prepends an enclosing element to the location.
    pub(crate) fn within(self, element: impl fmt::Display) -> Self {
        let location = match self.location.as_str() {
            "" => element.to_string(),
            inner => format!("{element}, {inner}"),
        };
        Self { location, ..self }
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location.as_str() {
            "" => f.write_str(&self.message),
            location => write!(f, "{location}: {}", self.message),
        }
    }
}

impl Error for StepError {}
