//! The types of a parsed chain.

use std::{num::NonZeroUsize, time::Duration};

use crate::{
    chat::{FinishReason, ProviderError, ToolCall},
    provider::stream::StreamOptions,
};

/// An instruction chain: the model's answers, turn by turn. It has at least one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub(super) steps: Vec<Step>,
}

/// The model's answer in one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// A label for the log.
    pub(super) id: Option<String>,
    /// A second label for the log.
    pub(super) id_message: Option<String>,
    /// Number of reasoning words. They count only in the token usage.
    pub(super) reasoning: u32,
    pub(super) items: Vec<Item>,
    /// Replaces the actual finish reason.
    pub(super) finish_reason: Option<FinishReason>,
    /// Replaces the actual token counts.
    pub(super) usage: StepUsage,
    /// Delay before the turn starts.
    pub(super) delay: Duration,
    pub(super) stream: StepStreamOptions,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Text(String),
    /// Filler text with this number of words.
    Filler(u32),
    /// Tool calls. Ids are optional.
    Calls(Vec<ToolCall>),
    Directive(Directive),
    /// The turn fails at this point.
    Error(ProviderError),
}

/// A text that is generated from the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Directive {
    SystemPrompt,
    ToolNames,
    ToolDescriptions,
    /// The schema of the tool with this name.
    ToolSchema(Option<String>),
    ToolResults,
}

/// Numbers of turns of the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turns {
    /// Those that the caller has sent.
    pub(super) seen: usize,
    /// Those since then, whose calls were all to tools of the component.
    pub(super) unseen: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StepUsage {
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StepStreamOptions {
    pub(super) words_per_chunk: Option<NonZeroUsize>,
    pub(super) chunk_delay: Option<Duration>,
    pub(super) time_to_first_chunk: Option<Duration>,
}

impl Step {
    /// Creates a step with one text.
    pub(super) fn text(text: &str) -> Self {
        Self { items: vec![Item::Text(text.to_owned())], ..Self::default() }
    }
}

impl Step {
    /// Returns `true` if the step has calls, all of them to tools that the component `owns`.
    fn is_unseen(&self, owns: impl Fn(&str) -> bool) -> bool {
        let mut calls = self.items.iter().flat_map(Item::calls).peekable();
        calls.peek().is_some() && calls.all(|call| owns(&call.name))
    }
}

impl Item {
    fn calls(&self) -> &[ToolCall] {
        if let Self::Calls(calls) = self { calls } else { &[] }
    }
}

impl StepStreamOptions {
    /// Returns the step's options, with the component's options as defaults.
    pub(super) fn or(self, component: StreamOptions) -> StreamOptions {
        StreamOptions {
            words_per_chunk: self.words_per_chunk.unwrap_or(component.words_per_chunk),
            chunk_delay: self.chunk_delay.unwrap_or(component.chunk_delay),
            time_to_first_chunk: self.time_to_first_chunk.unwrap_or(component.time_to_first_chunk),
        }
    }
}

impl Chain {
    /// Returns the number of turns.
    pub fn turns(&self) -> usize {
        self.steps.len()
    }

    /// Returns the number of steps that have been taken. If the chain is exhausted, counts on as if
    /// it started over.
    ///
    /// A caller does not see a step whose calls are all to tools that the component `owns`.
    pub(super) fn turns_before(&self, turns: Turns, owns: impl Fn(&str) -> bool) -> usize {
        let Turns { seen, unseen } = turns;
        let steps = self.steps.iter().enumerate();
        let seen_steps: Vec<_> =
            steps.filter(|(_, step)| !step.is_unseen(&owns)).map(|(index, _)| index).collect();
        let round = seen_steps.len();
        let taken = match seen.checked_sub(1) {
            None => 0,
            Some(last) if round == 0 => self.steps.len() + last,
            Some(last) => last / round * self.steps.len() + seen_steps[last % round] + 1,
        };
        taken + unseen
    }
}
