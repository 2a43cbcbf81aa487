//! The errors of tool calls.

use std::time::Duration;

use thiserror::Error as ThisError;

use super::{
    ToolError, ToolErrorKind,
    transcript::{CIRCUIT_OPEN, INTERRUPTED, NOT_RUN, error_executing, not_found},
};

/// The error returned if a tool call has no result.
///
/// The model receives the error message instead of a result.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum CallError {
    /// No tool with this name is registered.
    #[error("{}", not_found(.0))]
    UnknownTool(String),
    /// The tool exists, but the call failed.
    #[error("{}{failure}", error_executing(.tool))]
    Failed {
        /// Name of the tool.
        tool: String,
        /// Why the call failed.
        failure: CallFailure,
    },
}

/// The reason why a call to a registered tool failed.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum CallFailure {
    /// The arguments are not a JSON object.
    #[error("the arguments are not a JSON object: {0}")]
    InvalidJson(String),
    /// The arguments do not match the tool's schema.
    #[error("the arguments are not valid: {0}")]
    InvalidArguments(String),
    /// The tool returned an error.
    #[error("{0}")]
    Error(ToolError),
    /// The tool panicked.
    #[error("the tool panicked: {0}")]
    Panicked(String),
    /// The tool exceeded its timeout.
    #[error("no result within {0:?}")]
    TimedOut(Duration),
    /// The tool's circuit breaker is open.
    #[error("{CIRCUIT_OPEN}")]
    CircuitOpen,
    /// The run ended before the tool started.
    #[error("{NOT_RUN}")]
    NotRun,
    /// The run ended while the tool was running. The call may have taken effect.
    #[error("{INTERRUPTED}")]
    Interrupted,
}

impl CallFailure {
    /// Applies `map` to the message of a variant that has one.
    pub(super) fn map_message(self, map: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::InvalidJson(message) => Self::InvalidJson(map(message)),
            Self::InvalidArguments(message) => Self::InvalidArguments(map(message)),
            Self::Error(error) => Self::Error(error.map_message(map)),
            Self::Panicked(message) => Self::Panicked(map(message)),
            Self::TimedOut(_) | Self::CircuitOpen | Self::NotRun | Self::Interrupted => self,
        }
    }
}

impl From<ToolError> for CallFailure {
    fn from(error: ToolError) -> Self {
        Self::Error(error)
    }
}

impl CallError {
    pub(super) fn failed(tool: &str, failure: CallFailure) -> Self {
        Self::Failed { tool: tool.to_owned(), failure }
    }

    /// Returns a short identifier for metrics and logs, such as `timed_out`.
    pub fn as_str(&self) -> &'static str {
        let Self::Failed { failure, .. } = self else { return "unknown" };
        match failure {
            CallFailure::InvalidJson(_) | CallFailure::InvalidArguments(_) => "invalid",
            CallFailure::Error(error) if error.kind() == ToolErrorKind::Refused => "refused",
            CallFailure::Error(_) => "error",
            CallFailure::Panicked(_) => "panicked",
            CallFailure::TimedOut(_) => "timed_out",
            CallFailure::CircuitOpen => "circuit_open",
            CallFailure::NotRun => "not_run",
            CallFailure::Interrupted => "interrupted",
        }
    }
}
