//! The result of a run and the events during a run.

use std::time::Duration;

use serde_json::Value;

use super::{
    CallError, CallFailure, Rendering,
    transcript::{FinishedCall, Outcome, ToolResult},
};
use crate::{
    chat::{Message, Response, ToolCall},
    provider::ProviderError,
};

/// The result of a run. It contains everything that happened, however the run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopResult {
    /// The model's last answer, or `None` if there was none.
    pub response: Option<Response>,
    /// The messages in the request, followed by those of the run. Each call is followed by its
    /// result, so the transcript can be sent as the history of the next request. Incomplete answers
    /// are not included.
    pub transcript: Vec<Message>,
    /// The calls of all turns, in the order in which the model made them.
    pub calls: Vec<CallRecord>,
    /// Number of answers from the model.
    pub turns: u32,
    /// The reason why the run ended.
    pub end: EndReason,
}

impl LoopResult {
    /// Returns the text of the last answer, or an empty string if there is none.
    pub fn text(&self) -> &str {
        self.response.as_ref().map_or("", |response| &response.content)
    }

    /// Returns the text of the answer.
    ///
    /// # Errors
    ///
    /// Returns the reason why the run ended if the model did not answer.
    pub fn answer(&self) -> Result<&str, &EndReason> {
        if self.end == EndReason::Answered { Ok(self.text()) } else { Err(&self.end) }
    }

    /// Iterates over the calls that are left to the caller. To continue, add a tool message with the
    /// id of each call to the transcript, and send it as the history of the next request.
    pub fn pending(&self) -> impl Iterator<Item = &CallRecord> {
        self.calls.iter().filter(|call| call.outcome == CallOutcome::Pending)
    }

    /// Returns the number of calls for which a tool ran, even if it failed.
    pub fn executed_calls(&self) -> usize {
        self.calls.iter().filter(|call| call.outcome.ran()).count()
    }
}

/// The reason why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndReason {
    /// The model answered without calling tools.
    Answered,
    /// The model still called tools in the last turn that [`LoopSettings::max_turns`] allows.
    ///
    /// [`LoopSettings::max_turns`]: super::LoopSettings::max_turns
    MaxTurns,
    /// The model made the same calls in several consecutive turns.
    Stalled,
    /// The run reached its call limit or its time limit, a tool reached its call limit, or the model
    /// took too long for a turn.
    Budget,
    /// The model called tools that the request offers but the loop does not have. The caller runs
    /// them: [`LoopResult::pending`] returns the calls, which have no results in the transcript.
    CallerTools,
    /// The caller cancelled the run.
    Cancelled,
    /// The model failed to answer.
    ModelError(ProviderError),
}

impl EndReason {
    /// Returns a short identifier for logs, such as `max_turns`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::MaxTurns => "max_turns",
            Self::Stalled => "stalled",
            Self::Budget => "budget",
            Self::CallerTools => "caller_tools",
            Self::Cancelled => "cancelled",
            Self::ModelError(_) => "model_error",
        }
    }
}

/// A tool call and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// Id of the call, unique in the conversation.
    pub id: String,
    /// Name of the tool, as the model wrote it.
    pub name: String,
    /// Arguments, as the model wrote them.
    pub arguments: String,
    /// The result or error that the model receives. The text rendering wraps this text in the
    /// [`Wording`](super::Wording).
    pub result: String,
    /// Whether `result` is JSON, because the tool returned something other than a string.
    pub is_json: bool,
    /// Duration of the call, including retries. Zero if the tool did not run.
    pub duration: Duration,
    /// The outcome of the call.
    pub outcome: CallOutcome,
}

impl CallRecord {
    /// Returns `true` if the result comes from the cache.
    pub fn is_cached(&self) -> bool {
        self.outcome == CallOutcome::Cached
    }

    /// Returns the call with its outcome, for the history.
    pub(super) fn finished_call(&self, rendering: &Rendering) -> FinishedCall {
        let call = ToolCall {
            id: Some(self.id.clone()),
            name: self.name.clone(),
            arguments: self.arguments.clone(),
        };
        let outcome = match &self.outcome {
            CallOutcome::Succeeded | CallOutcome::Cached => {
                Outcome::Result(ToolResult::success(self.data(rendering)))
            }
            CallOutcome::Duplicate => Outcome::Duplicate,
            CallOutcome::Pending => Outcome::Pending,
            CallOutcome::Failed(CallError::UnknownTool(_)) => Outcome::NotFound,
            CallOutcome::Failed(CallError::Failed { failure, .. }) => {
                Outcome::Result(ToolResult::failure(failure.to_string()))
            }
        };
        FinishedCall { call, outcome }
    }

    /// Returns the data in the result. Only the text rendering needs parsed data, because native
    /// messages contain the result as text.
    fn data(&self, rendering: &Rendering) -> Value {
        let data = match rendering {
            Rendering::Text(_) if self.is_json => serde_json::from_str(&self.result).ok(),
            Rendering::Text(_) | Rendering::Native => None,
        };
        data.unwrap_or_else(|| self.result.as_str().into())
    }
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// The tool returned a result.
    Succeeded,
    /// The cache supplied the result of an earlier call.
    Cached,
    /// The call repeats an earlier one and did not run. The model receives a correction.
    Duplicate,
    /// The call has no result.
    Failed(CallError),
    /// The call is to a tool of the request, and the caller runs it.
    Pending,
}

impl CallOutcome {
    /// Returns a short identifier for metrics and logs, such as `succeeded`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Cached => "cached",
            Self::Duplicate => "duplicate",
            Self::Failed(error) => error.as_str(),
            Self::Pending => "pending",
        }
    }

    /// Returns `false` if the call did not run but may run if it is repeated.
    pub(super) fn counts_for_duplicates(&self) -> bool {
        use CallFailure::{CircuitOpen, NotRun};
        !matches!(
            self,
            Self::Duplicate | Self::Failed(CallError::Failed { failure: CircuitOpen | NotRun, .. })
        )
    }

    /// Returns `true` if there is a result, new or cached.
    pub(super) fn is_success(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Cached)
    }

    /// Returns `true` if the tool started, even if it did not finish.
    pub(super) fn ran(&self) -> bool {
        match self {
            Self::Succeeded => true,
            Self::Cached
            | Self::Duplicate
            | Self::Pending
            | Self::Failed(CallError::UnknownTool(_)) => false,
            Self::Failed(CallError::Failed { failure, .. }) => matches!(
                failure,
                CallFailure::Error(_)
                    | CallFailure::Panicked(_)
                    | CallFailure::TimedOut(_)
                    | CallFailure::Interrupted
            ),
        }
    }
}

/// An event during a run.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopEvent {
    /// The next piece of the model's text. With the text rendering, the text includes calls.
    Text(String),
    /// A tool started.
    ToolStarted {
        /// Id of the call.
        id: String,
        /// Name of the tool.
        name: String,
        /// Arguments, as the model wrote them.
        arguments: String,
    },
    /// A call finished or was skipped. Concurrent calls are reported in order of completion.
    ToolFinished(CallRecord),
    /// All calls of a turn have finished, and the model is asked again unless the run ends.
    ToolsFinished {
        /// Turn number, starting at 1.
        turn: u32,
        /// Number of calls for which a tool ran, even if it failed.
        executed: usize,
    },
    /// The run ended. This is the last event.
    Ended(LoopResult),
}
