//! What a chain is, once it is read.

use std::{num::NonZeroUsize, time::Duration};

use crate::{
    chat::{FinishReason, ProviderError, ToolCall},
    provider::stream::Pace,
};

/// What the model shall say, turn by turn; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub(super) steps: Vec<Step>,
}

/// What the model shall say in one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// Labels, for the log alone.
    pub(super) id: Option<String>,
    pub(super) id_message: Option<String>,
    /// Words to think with.
    pub(super) reasoning: u32,
    pub(super) items: Vec<Item>,
    /// What it says of itself, in the place of what is so.
    pub(super) finish_reason: Option<FinishReason>,
    pub(super) usage: StepUsage,
    /// The wait before anything.
    pub(super) delay: Duration,
    pub(super) pace: StepPace,
}

/// A part of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Text(String),
    /// So many words that mean nothing.
    Filler(u32),
    /// Calls, with ids where they were given.
    Calls(Vec<ToolCall>),
    Directive(Directive),
    /// Here the turn fails.
    Error(ProviderError),
}

/// A text that the request decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Directive {
    SystemPrompt,
    ToolNames,
    ToolDescriptions,
    /// The schema of the tool of that name.
    ToolSchema(Option<String>),
    ToolResults,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StepUsage {
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StepPace {
    pub(super) words_per_chunk: Option<NonZeroUsize>,
    pub(super) chunk_delay: Option<Duration>,
    pub(super) time_to_first_chunk: Option<Duration>,
}

impl Step {
    /// A step of one text.
    pub(super) fn saying(text: &str) -> Self {
        Self { items: vec![Item::Text(text.to_owned())], ..Self::default() }
    }
}

impl StepPace {
    /// What the step says, else what the component says.
    pub(super) fn over(self, component: Pace) -> Pace {
        Pace {
            words_per_chunk: self.words_per_chunk.unwrap_or(component.words_per_chunk),
            chunk_delay: self.chunk_delay.unwrap_or(component.chunk_delay),
            time_to_first_chunk: self.time_to_first_chunk.unwrap_or(component.time_to_first_chunk),
        }
    }
}

impl Chain {
    /// How many turns it has.
    ///
    /// ```
    /// use mynah::provider::scripted::Chain;
    /// let prompt = r#"Hi <|instruction_start|>{"messages":[{"text":"Hello"}]}<|instruction_end|>"#;
    /// assert_eq!(Chain::in_text(prompt).unwrap()?.turns(), 1);
    /// # Ok::<(), mynah::provider::scripted::Mistake>(())
    /// ```
    pub fn turns(&self) -> usize {
        self.steps.len()
    }
}
