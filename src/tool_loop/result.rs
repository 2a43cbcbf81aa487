//! What comes out of a run.

use std::time::Duration;

use serde_json::Value;

use super::{
    CallError, Rendering, Why,
    transcript::{FinishedCall, Outcome, ToolResult},
};
use crate::{
    chat::{Message, Response, ToolCall},
    provider::ProviderError,
};

/// All of a run. Whatever ended it, what was done until then is here.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopResult {
    /// The last answer of the model; `None` where it never gave one.
    pub response: Option<Response>,
    /// The history of the request, then what was said in the run, each call with its result: a
    /// history to go on with. An answer that broke off is not in it.
    pub transcript: Vec<Message>,
    /// The calls of all turns, in the model's order.
    pub calls: Vec<CallRecord>,
    /// How often the model has answered.
    pub turns: u32,
    /// Why it ended.
    pub end: EndReason,
}

impl LoopResult {
    /// The text of the last answer.
    pub fn text(&self) -> &str {
        self.response.as_ref().map_or("", |response| &response.content)
    }
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndReason {
    /// The model called no more tools.
    Answered,
    /// The model called tools in the last turn that it had.
    MaxTurns,
    /// The model made the same calls turn after turn.
    Stalled,
    /// There were more calls than there may be, or the time was up.
    Budget,
    /// The caller wanted no more of it.
    Cancelled,
    /// The model gave no answer.
    ModelError(ProviderError),
}

impl EndReason {
    /// One word, for logs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::MaxTurns => "max_turns",
            Self::Stalled => "stalled",
            Self::Budget => "budget",
            Self::Cancelled => "cancelled",
            Self::ModelError(_) => "model_error",
        }
    }
}

/// One call of a tool, with what the model was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// Id, unique in the conversation.
    pub id: String,
    /// Name of the tool, as the model wrote it.
    pub name: String,
    /// Its arguments, as the model wrote them.
    pub arguments: String,
    /// The text that the model gets; in text, its [`Wording`](super::Wording) stands around it.
    pub result: String,
    /// Whether that is JSON: the tool returned something else than a text.
    pub is_json: bool,
    /// How long it took, retries included; zero where nothing ran.
    pub duration: Duration,
    /// What became of it.
    pub outcome: CallOutcome,
}

impl CallRecord {
    /// Whether the result is that of an earlier call.
    pub fn cached(&self) -> bool {
        self.outcome == CallOutcome::Cached
    }

    /// The call and what came of it, for the history.
    pub(super) fn finished(&self, rendering: &Rendering) -> FinishedCall {
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
            CallOutcome::Failed(CallError::Unknown(_)) => Outcome::NotFound,
            CallOutcome::Failed(CallError::Failed { why, .. }) => {
                Outcome::Result(ToolResult::failure(why.to_string()))
            }
        };
        FinishedCall { call, outcome }
    }

    /// The data of the result. Native results are the text as it is: no need to read that again.
    fn data(&self, rendering: &Rendering) -> Value {
        let data = match rendering {
            Rendering::Text(_) if self.is_json => serde_json::from_str(&self.result).ok(),
            Rendering::Text(_) | Rendering::Native => None,
        };
        data.unwrap_or_else(|| self.result.as_str().into())
    }
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// The tool ran and had a result.
    Succeeded,
    /// An earlier call had the result.
    Cached,
    /// The call was made already, and the model is asked for another.
    Duplicate,
    /// There is no result.
    Failed(CallError),
}

impl CallOutcome {
    /// One word, for metrics and logs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Cached => "cached",
            Self::Duplicate => "duplicate",
            Self::Failed(error) => error.as_str(),
        }
    }

    /// Whether there is a result, of this call or of an earlier one.
    pub(super) fn is_success(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Cached)
    }

    /// Whether the tool ran, to its end or its timeout.
    pub(super) fn ran(&self) -> bool {
        match self {
            Self::Succeeded => true,
            Self::Cached | Self::Duplicate | Self::Failed(CallError::Unknown(_)) => false,
            Self::Failed(CallError::Failed { why, .. }) => {
                matches!(why, Why::Error(_) | Why::Panicked(_) | Why::TimedOut(_))
            }
        }
    }
}

/// What happens in a run, as it happens.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopEvent {
    /// The next piece of what the model says; in text, calls are such pieces, too.
    Text(String),
    /// A tool starts to run.
    ToolStarted {
        /// Id of the call.
        id: String,
        /// Name of the tool.
        name: String,
        /// Its arguments, as the model wrote them.
        arguments: String,
    },
    /// A call has its result, run or not; of calls that run side by side, whichever is first.
    ToolFinished(CallRecord),
    /// The last event.
    Ended(LoopResult),
}
