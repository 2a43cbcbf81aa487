use super::ToolCall;

/// An answer of a component: one turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Response {
    /// The text; empty where tools are called.
    pub content: String,
    /// The tools that the model calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish_reason: FinishReason,
    /// The model that answered.
    pub model: Option<String>,
    /// What the call would have cost.
    pub usage: Option<Usage>,
}

/// Why a model stopped, in OpenAI's words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FinishReason {
    /// It had said all.
    #[default]
    Stop,
    /// It waits for the results of the tools that it called.
    ToolCalls,
    /// It ran into the limit of tokens.
    Length,
    /// A filter cut it short.
    ContentFilter,
}

impl FinishReason {
    /// Every reason.
    pub const ALL: [Self; 4] = [Self::Stop, Self::ToolCalls, Self::Length, Self::ContentFilter];

    /// The word that goes over the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
        }
    }
}

/// Tokens that a call would have cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the history.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Those of the answer that the model thought with.
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Both kinds together.
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
