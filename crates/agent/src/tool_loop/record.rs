//! Tool calls, their outcomes and their errors.

use std::{mem, time::Duration};

use mynah_core::chat::ToolCall;
use thiserror::Error as ThisError;

use super::{
    ToolError, ToolErrorKind, ToolOutput,
    output::truncate,
    transcript::{CIRCUIT_OPEN, INTERRUPTED, NOT_RUN, correction_text, error_executing, not_found},
};

/// A tool call and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// Id of the call, unique in the conversation.
    pub id: String,
    /// Name of the tool, as the model wrote it.
    pub name: String,
    /// Arguments, as the model wrote them.
    pub arguments: String,
    /// The result or error that the model receives. The text rendering wraps it in the
    /// [`Wording`](super::Wording).
    pub result: ToolOutput,
    /// Duration of the call, including retries. Zero if the tool did not run.
    pub duration: Duration,
    /// The outcome of the call.
    pub outcome: CallOutcome,
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// The tool returned a result.
    Succeeded,
    /// The cache supplied the result of an earlier call.
    Cached,
    /// A hook supplied the result.
    Replaced,
    /// The call repeats an earlier one and did not run. The model receives a correction.
    Duplicate,
    /// The call has no result.
    Failed(CallFailure),
    /// The call is to a tool of the request, and the caller runs it.
    Pending,
}

impl CallRecord {
    /// Creates the record of a call with a result.
    pub fn new(call: ToolCall, outcome: CallOutcome, result: impl Into<ToolOutput>) -> Self {
        let ToolCall { id, name, arguments } = call;
        let (id, result) = (id.unwrap_or_default(), result.into());
        Self { id, name, arguments, result, duration: Duration::ZERO, outcome }
    }

    /// Creates the record of a call that failed.
    pub fn failed(call: ToolCall, failure: CallFailure) -> Self {
        let text = failure.text(&call.name);
        Self::new(call, CallOutcome::Failed(failure), text)
    }

    /// Creates the record of a call that did not run because it is a duplicate.
    pub fn duplicate(call: ToolCall) -> Self {
        let text = correction_text(&call.name);
        Self::new(call, CallOutcome::Duplicate, text)
    }

    /// Returns the call as the model made it.
    pub fn call(&self) -> ToolCall {
        let id = Some(self.id.clone()).filter(|id| !id.is_empty());
        ToolCall { id, name: self.name.clone(), arguments: self.arguments.clone() }
    }

    /// Returns roughly the size of the record in bytes.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>() + self.arguments.len() + self.result.text.len()
    }

    /// Returns `true` if the result comes from the cache.
    pub fn is_cached(&self) -> bool {
        self.outcome == CallOutcome::Cached
    }
}

impl CallOutcome {
    /// Returns a short identifier for metrics and logs, such as `succeeded`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Cached => "cached",
            Self::Replaced => "replaced",
            Self::Duplicate => "duplicate",
            Self::Failed(failure) => failure.as_str(),
            Self::Pending => "pending",
        }
    }

    /// Returns `false` if the call did not run but may run if it is repeated.
    pub(super) fn counts_for_duplicates(&self) -> bool {
        use CallFailure::{CircuitOpen, NotRun};
        !matches!(self, Self::Duplicate | Self::Failed(CircuitOpen | NotRun))
    }

    /// Returns `true` if there is a result.
    pub(super) fn is_success(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Cached | Self::Replaced)
    }

    /// Returns `true` if the tool started, even if it did not finish.
    pub(super) fn ran(&self) -> bool {
        use CallFailure::{Error, Interrupted, Panicked, TimedOut};
        matches!(
            self,
            Self::Succeeded | Self::Failed(Error(_) | Interrupted | Panicked(_) | TimedOut(_))
        )
    }
}

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
