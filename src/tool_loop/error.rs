//! Why a call of a tool has no result.

use std::time::Duration;

use thiserror::Error as ThisError;

use super::transcript::{ENDED, error_executing, not_found};

/// A call without a result. Its text is what the model is told.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum CallError {
    /// No tool has that name.
    #[error("{}", not_found(.0))]
    Unknown(String),
    /// There is such a tool.
    #[error("{}{why}", error_executing(.tool))]
    Failed {
        /// Its name.
        tool: String,
        /// What was wrong.
        why: Why,
    },
}

/// Why a tool has no result.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Why {
    /// The arguments are no JSON object.
    #[error("the arguments are no JSON object: {0}")]
    NotJson(String),
    /// The arguments break the tool's schema.
    #[error("the arguments are not valid: {0}")]
    Invalid(String),
    /// The tool said so.
    #[error("{0}")]
    Error(String),
    /// The tool panicked.
    #[error("the tool panicked: {0}")]
    Panicked(String),
    /// The tool took longer than it may.
    #[error("no result within {0:?}")]
    TimedOut(Duration),
    /// The tool has failed too often, and rests.
    #[error("the tool has failed too often and rests; try again later")]
    Resting,
    /// The loop ended before it ran the tool, or before the tool was done.
    #[error("{ENDED}")]
    Ended,
}

impl Why {
    /// The same with another text, where it has one.
    pub(super) fn map(self, text: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::NotJson(words) => Self::NotJson(text(words)),
            Self::Invalid(words) => Self::Invalid(text(words)),
            Self::Error(words) => Self::Error(text(words)),
            Self::Panicked(words) => Self::Panicked(text(words)),
            Self::TimedOut(_) | Self::Resting | Self::Ended => self,
        }
    }
}

impl CallError {
    pub(super) fn of(tool: &str, why: Why) -> Self {
        Self::Failed { tool: tool.to_owned(), why }
    }

    /// One word, for metrics and logs.
    pub fn as_str(&self) -> &'static str {
        let Self::Failed { why, .. } = self else { return "unknown" };
        match why {
            Why::NotJson(_) | Why::Invalid(_) => "invalid",
            Why::Error(_) => "error",
            Why::Panicked(_) => "panicked",
            Why::TimedOut(_) => "timed_out",
            Why::Resting => "resting",
            Why::Ended => "ended",
        }
    }
}
