//! The response from a component.

use schemars::JsonSchema;
use serde::Deserialize;

use super::ToolCall;

/// A response: one turn of the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Response {
    /// The text of the model's reasoning, which precedes the answer. Dapr's API does not transmit it.
    pub reasoning: String,
    /// The text. Usually empty if the model calls tools.
    pub content: String,
    /// The tool calls that the model makes, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The reason why the model stopped.
    pub finish_reason: FinishReason,
    /// The other choices, if the model has given several answers.
    pub others: Vec<Choice>,
    /// The name of the model that answered.
    pub model: Option<String>,
    /// The name that a real model gives itself. It is in recordings only.
    pub served_by: Option<Box<str>>,
    /// The token usage of the call, if known.
    pub usage: Option<Usage>,
    /// The part that an API leaves out of the encoded response, as if the model had a fault.
    pub missing: Option<MissingPart>,
    /// Whether the model has nothing more to say, because its script has no more steps. Dapr's API does
    /// not transmit it.
    pub is_exhausted: bool,
}

/// One of several answers to a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// The text of the model's reasoning.
    pub reasoning: String,
    /// The text.
    pub content: String,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The reason why the model stopped.
    pub finish_reason: FinishReason,
}

/// A part of an encoded response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissingPart {
    /// All outputs. OpenAI's API has none, and leaves out the choices.
    Outputs,
    /// The choices of the output. `ConverseAlpha1` has none, and leaves out the output.
    Choices,
    /// The message of the choice. `ConverseAlpha1` has none, and leaves out the output.
    Message,
}

impl MissingPart {
    /// All parts.
    pub const ALL: [Self; 3] = [Self::Outputs, Self::Choices, Self::Message];

    /// Returns the name of the part in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outputs => "outputs",
            Self::Choices => "choices",
            Self::Message => "message",
        }
    }
}

impl Response {
    /// Returns roughly the size of the response in bytes.
    pub fn size(&self) -> usize {
        let texts = self.reasoning.len() + self.content.len();
        let others = self.others.iter().map(Choice::size).sum::<usize>();
        texts + self.tool_calls.iter().map(ToolCall::size).sum::<usize>() + others
    }
}

impl Choice {
    /// Returns roughly the size of the choice in bytes.
    pub fn size(&self) -> usize {
        let texts = self.reasoning.len() + self.content.len();
        size_of::<Self>() + texts + self.tool_calls.iter().map(ToolCall::size).sum::<usize>()
    }
}

impl From<Response> for Choice {
    fn from(response: Response) -> Self {
        let Response { reasoning, content, tool_calls, finish_reason, .. } = response;
        Self { reasoning, content, tool_calls, finish_reason }
    }
}

/// The reason why the model stopped, as defined by OpenAI's API.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FinishReason {
    /// The answer is complete.
    #[default]
    Stop,
    /// The model called tools and waits for their results.
    ToolCalls,
    /// The token limit was reached.
    Length,
    /// A content filter cut the answer off.
    ContentFilter,
    /// A reason that the API does not define.
    Other(Box<str>),
}

impl FinishReason {
    /// The reasons that the API defines.
    pub const ALL: [Self; 4] = [Self::Stop, Self::ToolCalls, Self::Length, Self::ContentFilter];

    /// Returns the reason's name in the API.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Other(reason) => reason,
        }
    }
}

impl From<&str> for FinishReason {
    fn from(name: &str) -> Self {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == name);
        known.unwrap_or_else(|| Self::Other(name.into()))
    }
}

/// The token counts of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of tokens in the history.
    pub prompt_tokens: u64,
    /// Number of tokens in the answer.
    pub completion_tokens: u64,
    /// Number of tokens in the answer that are reasoning.
    pub reasoning_tokens: u64,
    /// Number of tokens in the history that the model has read from its cache.
    pub cached_tokens: u64,
}

impl Usage {
    /// Returns the sum of prompt and completion tokens.
    ///
    /// ```
    /// use mynah_core::chat::Usage;
    /// let usage = Usage { prompt_tokens: 3, completion_tokens: 4, ..Usage::default() };
    /// assert_eq!(usage.total_tokens(), 7);
    /// ```
    pub fn total_tokens(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}
