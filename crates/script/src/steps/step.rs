//! The types of a parsed step.

use std::{num::NonZeroU32, time::Duration};

use mynah_core::{
    chat::{ChunkSize, FinishReason, MissingPart, ProviderError, ToolCall},
    provider::stream::StreamOptions,
};

/// The model's answer in one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// A label for the log.
    pub(crate) id: Option<String>,
    /// A second label for the log.
    pub(crate) id_message: Option<String>,
    pub(crate) reasoning: Reasoning,
    pub(crate) items: Vec<Item>,
    /// Replaces the actual finish reason.
    pub(crate) finish_reason: Option<FinishReason>,
    pub(crate) usage: StepUsage,
    /// Delay before the turn starts.
    pub(crate) delay: Duration,
    /// The part of the response that is left out.
    pub(crate) empty: Option<MissingPart>,
    /// Number of chunks after which the response breaks off.
    pub(crate) cut_after: Option<usize>,
    /// How often the step fails before the next one. Such a step is not a turn.
    pub(crate) times: Option<NonZeroU32>,
    pub(crate) stream: StepStreamOptions,
}

/// The model's reasoning, which precedes the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reasoning {
    Text(String),
    /// Filler text with this number of words.
    Filler(u32),
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Text(String),
    /// Compact JSON, sent as text.
    Json(String),
    /// Filler text with this number of words.
    Filler(u32),
    Calls(Vec<ScriptedCall>),
    Directive(Directive),
    /// The turn fails at this point.
    Error(ProviderError),
}

/// A tool call of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScriptedCall {
    /// The call. The id is optional.
    pub(crate) call: ToolCall,
    /// Whether the arguments are sent as they are, so that they are not templates.
    pub(crate) has_raw_args: bool,
}

/// A text that is generated from the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Directive {
    SystemPrompt,
    ToolNames,
    ToolDescriptions,
    /// The schema of the tool with this name.
    ToolSchema(Option<String>),
    ToolResults,
}

/// The token counts of a step's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepUsage {
    /// The actual counts, but for those that the step replaces.
    Counted(ReplacedCounts),
    /// The answer has none.
    Missing,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReplacedCounts {
    pub(crate) prompt_tokens: Option<u64>,
    pub(crate) completion_tokens: Option<u64>,
    pub(crate) reasoning_tokens: Option<u64>,
    pub(crate) cached_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StepStreamOptions {
    pub(crate) chunk_size: Option<ChunkSize>,
    pub(crate) chunk_delay: Option<Duration>,
    pub(crate) time_to_first_chunk: Option<Duration>,
}

impl Default for StepUsage {
    fn default() -> Self {
        Self::Counted(ReplacedCounts::default())
    }
}

impl Default for Reasoning {
    fn default() -> Self {
        Self::Filler(0)
    }
}

impl Reasoning {
    /// Returns the number of words, which count as tokens.
    pub(crate) fn words(&self) -> usize {
        match self {
            Self::Text(text) => text.split_whitespace().count(),
            Self::Filler(words) => *words as usize,
        }
    }
}

impl Step {
    /// Creates a step with one text.
    pub(crate) fn text(text: &str) -> Self {
        Self { items: vec![Item::Text(text.to_owned())], ..Self::default() }
    }
}

impl Step {
    /// Returns `true` if every call of the step fails.
    pub(crate) fn fails(&self) -> bool {
        self.cut_after.is_some() || matches!(self.items.last(), Some(Item::Error(_)))
    }

    /// Returns `true` if the step has calls, all of them to tools that the component `owns`.
    pub(crate) fn is_unseen(&self, owns: impl Fn(&str) -> bool) -> bool {
        let mut calls = self.items.iter().flat_map(Item::calls).peekable();
        calls.peek().is_some() && calls.all(|it| owns(&it.call.name))
    }
}

impl Item {
    fn calls(&self) -> &[ScriptedCall] {
        if let Self::Calls(calls) = self { calls } else { &[] }
    }
}

impl StepStreamOptions {
    /// Returns the step's options, with the component's options as defaults.
    pub(crate) fn or(self, component: StreamOptions) -> StreamOptions {
        StreamOptions {
            chunk_size: self.chunk_size.unwrap_or(component.chunk_size),
            chunk_delay: self.chunk_delay.unwrap_or(component.chunk_delay),
            time_to_first_chunk: self.time_to_first_chunk.unwrap_or(component.time_to_first_chunk),
        }
    }
}
