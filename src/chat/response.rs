//! What a component answers.

use super::ToolCall;

/// One turn of the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Response {
    /// The text. Usually empty if tools are called.
    pub content: String,
    /// The tools that the model calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish_reason: FinishReason,
    /// The model that answered.
    pub model: Option<String>,
    /// The tokens that the call would use.
    pub usage: Option<Usage>,
}

/// Why the model stopped, as OpenAI names it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FinishReason {
    /// The answer is complete.
    #[default]
    Stop,
    /// The model called tools and waits for their results.
    ToolCalls,
    /// The limit of tokens was reached.
    Length,
    /// A content filter cut the answer.
    ContentFilter,
}

impl FinishReason {
    /// Every reason.
    pub const ALL: [Self; 4] = [Self::Stop, Self::ToolCalls, Self::Length, Self::ContentFilter];

    /// Returns the name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
        }
    }
}

/// Numbers of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the history.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// The tokens of the answer that are reasoning.
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Returns the sum of prompt and completion tokens.
    ///
    /// ```
    /// use mynah::chat::Usage;
    /// let usage = Usage { prompt_tokens: 3, completion_tokens: 4, reasoning_tokens: 0 };
    /// assert_eq!(usage.total_tokens(), 7);
    /// ```
    pub fn total_tokens(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}
