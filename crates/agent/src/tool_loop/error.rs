//! The errors of tool calls.

use std::{mem, time::Duration};

use thiserror::Error as ThisError;

use super::{
    ToolError, ToolErrorKind,
    output::truncate,
    transcript::{CIRCUIT_OPEN, INTERRUPTED, NOT_RUN, error_executing, not_found},
};

/// The error returned if a call outside of a loop has no result.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{}", .failure.text(.tool))]
pub struct CallError {
    /// Name of the tool.
    pub tool: String,
    /// Why the call failed.
    pub failure: CallFailure,
}

/// The reason why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum CallFailure {
    /// No tool with this name is registered.
    #[error("{}", not_found(.0))]
    UnknownTool(String),
    /// The arguments are not a JSON object.
    #[error("the arguments are not a JSON object: {0}")]
    InvalidJson(String),
    /// The arguments do not match the tool's schema.
    #[error("the arguments are not valid: {0}")]
    InvalidArguments(String),
    /// A hook refused the call.
    #[error("{0}")]
    Denied(String),
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
    /// Returns the text that the model receives instead of a result.
    pub fn text(&self, tool: &str) -> String {
        match self {
            Self::UnknownTool(_) => self.to_string(),
            failure => format!("{}{failure}", error_executing(tool)),
        }
    }

    /// Returns a short identifier for metrics and logs, such as `timed_out`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::UnknownTool(_) => "unknown",
            Self::InvalidJson(_) | Self::InvalidArguments(_) => "invalid",
            Self::Denied(_) => "denied",
            failure if failure.is_refusal() => "refused",
            Self::Error(_) => "error",
            Self::Panicked(_) => "panicked",
            Self::TimedOut(_) => "timed_out",
            Self::CircuitOpen => "circuit_open",
            Self::NotRun => "not_run",
            Self::Interrupted => "interrupted",
        }
    }

    /// Returns `true` if the tool works but refused the call.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Error(error) if error.kind() == ToolErrorKind::Refused)
    }

    /// Returns `true` if the call may succeed at the next attempt.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::Error(error) => error.kind() == ToolErrorKind::Transient,
            failure => matches!(failure, Self::TimedOut(_)),
        }
    }

    /// Truncates a message that others wrote to `max` bytes.
    pub(super) fn truncate(mut self, max: usize) -> Self {
        if let Self::InvalidJson(message)
        | Self::InvalidArguments(message)
        | Self::Denied(message)
        | Self::Error(ToolError { message, .. })
        | Self::Panicked(message) = &mut self
        {
            *message = truncate(mem::take(message), max);
        }
        self
    }
}

impl From<ToolError> for CallFailure {
    fn from(error: ToolError) -> Self {
        Self::Error(error)
    }
}
