//! The result of a run and the events during a run.

use mynah_core::{
    chat::{Message, Response, Usage},
    provider::ProviderError,
};
use thiserror::Error as ThisError;

use super::{CallOutcome, CallRecord};

/// What separates the texts of two turns.
pub(super) const SEPARATOR: &str = "\n\n";

/// The result of a run. It contains everything that happened, however the run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopResult {
    /// The model's last answer, or `None` if there was none.
    pub response: Option<Response>,
    /// The reasoning of all turns, separated by blank lines.
    pub reasoning: String,
    /// The messages in the request, followed by those of the run. Each call is followed by its
    /// result, so the transcript can be sent as the history of the next request. Incomplete answers
    /// are not included.
    pub transcript: Vec<Message>,
    /// The calls of all turns, in the order in which the model made them.
    pub calls: Vec<CallRecord>,
    /// Number of answers from the model.
    pub turns: u32,
    /// The token usage of all turns, if known.
    pub usage: Option<Usage>,
    /// The reason why the run ended.
    pub end: LoopEnd,
}

impl LoopResult {
    /// Returns the result of a run without turns.
    pub(super) fn new(end: LoopEnd) -> Self {
        Self {
            response: None,
            reasoning: String::new(),
            transcript: Vec::new(),
            calls: Vec::new(),
            turns: 0,
            usage: None,
            end,
        }
    }

    /// Returns the text of the last answer, or an empty string if there is none.
    pub fn text(&self) -> &str {
        self.response.as_ref().map_or("", |response| &response.content)
    }

    /// Returns the text of the answer.
    ///
    /// # Errors
    ///
    /// Returns the reason why the run ended if the model did not answer.
    pub fn answer(&self) -> Result<&str, LoopEnd> {
        if self.end == LoopEnd::Answered { Ok(self.text()) } else { Err(self.end.clone()) }
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

/// The reason why a run ended. All except [`Answered`](Self::Answered) are errors for a caller who
/// needs an [answer](LoopResult::answer).
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum LoopEnd {
    /// The model answered without calling tools.
    #[error("the model answered")]
    Answered,
    /// The model still called tools in the last turn that [`LoopSettings::max_turns`] allows.
    ///
    /// [`LoopSettings::max_turns`]: super::LoopSettings::max_turns
    #[error("no answer within the turn limit")]
    MaxTurns,
    /// The model made the same calls in several consecutive turns.
    #[error("no answer: the model kept repeating the same calls")]
    Stalled,
    /// The run reached its limit of calls, bytes or time, a tool reached its call limit, or the model
    /// took too long for a turn.
    #[error("no answer: the model took too long or made too many calls")]
    Budget,
    /// The model called tools that the request offers but the loop does not have. The caller runs
    /// them: [`LoopResult::pending`] returns the calls, which have no results in the transcript.
    #[error("no answer: the model called tools that the caller has to run")]
    CallerTools,
    /// The caller cancelled the run.
    #[error("the run was cancelled")]
    Cancelled,
    /// The model failed to answer.
    #[error("no answer: {0}")]
    ModelError(ProviderError),
}

impl LoopEnd {
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

/// An event during a run.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a run has one result")]
pub enum LoopEvent {
    /// The next piece of the model's reasoning.
    Reasoning(String),
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
