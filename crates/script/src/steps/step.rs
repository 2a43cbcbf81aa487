//! The types of a checked step.

use std::{sync::Arc, time::Duration};

use mynah_core::{
    base::text_or_mapping::{TextOrMapping, text_or_mapping},
    chat::{ChunkSize, FinishReason, MissingPart, ProviderError, ToolCall},
    provider::stream::{ListedChunks, StreamOptions},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::values::{MAX_EXACT, Whole};

/// Number of failures of a step.
pub(crate) type Times = Whole<1, 1_000_000>;
/// Number of tokens.
pub(super) type Tokens = Whole<0, MAX_EXACT>;

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
    /// The other choices, which are steps without anything but an answer.
    pub(crate) other_choices: Vec<Self>,
    pub(crate) usage: StepUsage,
    /// Delay before the turn starts.
    pub(crate) delay: Duration,
    /// The part of the response that is left out.
    pub(crate) empty: Option<MissingPart>,
    /// Number of chunks after which the response breaks off.
    pub(crate) cut_after: Option<usize>,
    /// How often the step fails before the next one. Such a step is not a turn.
    pub(crate) times: Option<Times>,
    pub(crate) stream: StepStreamOptions,
    /// The name of the model, if it is not that of the component.
    pub(crate) model: Option<String>,
    /// The chunks of a recorded stream.
    pub(crate) chunks: Option<Arc<ListedChunks>>,
    /// Whether the answer was recorded, so that no limit cuts it.
    pub(crate) is_recorded: bool,
    /// Whether it stands for the end of a script that has no more steps.
    pub(crate) is_exhausted: bool,
}

/// The model's reasoning, which precedes the answer.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(inline, untagged)]
pub(crate) enum Reasoning {
    Text(String),
    Filler(Length),
}

/// The length of filler text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FillerLength")]
pub(crate) struct Length {
    /// Number of words.
    length: Whole<0, 100_000>,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Text(String),
    /// Compact JSON, sent as text.
    Json(String),
    Filler(Length),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(inline, untagged)]
pub(crate) enum StepUsage {
    /// The actual counts, but for those that the step replaces.
    Counted(ReplacedCounts),
    /// The answer has none.
    Missing(NoUsage),
}

/// The counts that a step replaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct ReplacedCounts {
    pub(crate) prompt_tokens: Option<Tokens>,
    pub(crate) completion_tokens: Option<Tokens>,
    pub(crate) reasoning_tokens: Option<Tokens>,
    pub(crate) cached_tokens: Option<Tokens>,
}

/// Stands for an answer without token counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum NoUsage {
    None,
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
        Self::Text(String::new())
    }
}

impl TextOrMapping for Reasoning {
    type Parts = Length;

    const EXPECTED: &'static str = r#"a text or {"length": N}"#;

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self::Text(text.to_owned()))
    }
}

impl TryFrom<Length> for Reasoning {
    type Error = String;

    fn try_from(length: Length) -> Result<Self, String> {
        Ok(Self::Filler(length))
    }
}

impl<'de> Deserialize<'de> for Reasoning {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        text_or_mapping(source)
    }
}

impl TextOrMapping for StepUsage {
    type Parts = ReplacedCounts;

    const EXPECTED: &'static str = r#"an object or "none""#;

    fn from_text(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::Missing(NoUsage::None)),
            _ => Err(format!("must be {}", Self::EXPECTED)),
        }
    }
}

impl TryFrom<ReplacedCounts> for StepUsage {
    type Error = String;

    fn try_from(counts: ReplacedCounts) -> Result<Self, String> {
        Ok(Self::Counted(counts))
    }
}

impl<'de> Deserialize<'de> for StepUsage {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        text_or_mapping(source)
    }
}

impl Length {
    pub(crate) fn words(self) -> usize {
        self.length.to_usize()
    }
}

impl Reasoning {
    /// Returns the number of words, which count as tokens.
    pub(crate) fn words(&self) -> usize {
        match self {
            Self::Text(text) => text.split_whitespace().count(),
            Self::Filler(length) => length.words(),
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
