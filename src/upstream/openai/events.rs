//! The streamed answer of a model.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{
    error,
    reply::{self, UsageBody},
};
use crate::{
    chat::{Choice, Delta, Request, Response, ToolCall, Usage},
    provider::ProviderError,
};

/// Maximum number of calls in an answer, since their numbers come from the model.
const MAX_CALLS: usize = 1_024;
/// Maximum number of choices, as in OpenAI's API.
const MAX_CHOICES: u64 = 128;

/// A piece of an answer.
#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<ChoiceDelta>,
    #[serde(default)]
    usage: Option<UsageBody>,
    #[serde(default)]
    model: Option<String>,
    /// Servers report an error in the middle of a stream this way.
    #[serde(default)]
    error: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct ChoiceDelta {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    delta: MessageDelta,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct MessageDelta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default, alias = "reasoning")]
    reasoning_content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Debug, Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<usize>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: FunctionDelta,
}

#[derive(Debug, Default, Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

/// Joins the pieces of an answer.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// By their index.
    choices: BTreeMap<u64, ChoicePieces>,
    usage: Option<Usage>,
    model: Option<String>,
}

/// The joined pieces of a choice.
#[derive(Debug, Default)]
struct ChoicePieces {
    choice: Choice,
    finish_reason: Option<String>,
}

impl Pieces {
    /// Adds the data of an event. Returns the texts that it adds to the first choice.
    pub(super) fn add(&mut self, data: &str) -> Result<Vec<Delta>, ProviderError> {
        let chunk: Chunk =
            serde_json::from_str(data).map_err(|it| error::of_body(data.as_bytes(), &it))?;
        if let Some(error) = chunk.error {
            let message = error["message"].as_str().or(error.as_str()).unwrap_or_default();
            return Err(ProviderError::internal(message));
        }
        self.model = chunk.model.or(self.model.take());
        self.usage = chunk.usage.and_then(UsageBody::usage).or(self.usage);
        let mut deltas = Vec::new();
        for delta in chunk.choices {
            let index = delta.index;
            if index >= MAX_CHOICES {
                let message = format!("the model gives more than {MAX_CHOICES} choices");
                return Err(ProviderError::internal(message));
            }
            let texts = self.choices.entry(index).or_default().add(delta)?;
            // A stream sends the others as a whole.
            deltas.extend(texts.into_iter().flatten().filter(|_| index == 0));
        }
        Ok(deltas)
    }

    /// Returns `true` if the model has said why it stopped.
    pub(super) fn has_ended(&self) -> bool {
        let mut choices = self.choices.values();
        !self.choices.is_empty() && choices.all(|it| it.finish_reason.is_some())
    }

    /// Returns the whole answer.
    pub(super) fn complete(
        self,
        request: &Request,
        model: &str,
    ) -> Result<Response, ProviderError> {
        let complete = |ChoicePieces { choice, finish_reason }| Choice {
            finish_reason: reply::finish_reason(finish_reason.as_deref()),
            ..choice
        };
        let choices = self.choices.into_values().map(complete);
        reply::response(choices, self.model, self.usage, request, model)
    }
}

impl ChoicePieces {
    /// Adds a piece. Returns its reasoning and its text.
    fn add(&mut self, delta: ChoiceDelta) -> Result<[Option<Delta>; 2], ProviderError> {
        self.finish_reason = delta.finish_reason.or(self.finish_reason.take());
        let MessageDelta { content, reasoning_content, refusal, tool_calls } = delta.delta;
        for call in tool_calls.into_iter().flatten() {
            self.add_call(call)?;
        }
        let is_text = |text: &String| !text.is_empty();
        let reasoning = reasoning_content.filter(is_text);
        let text = content.filter(is_text).or(refusal.filter(is_text));
        self.choice.reasoning.extend(reasoning.as_deref());
        self.choice.content.extend(text.as_deref());
        Ok([reasoning.map(Delta::Reasoning), text.map(Delta::Text)])
    }

    fn add_call(&mut self, delta: CallDelta) -> Result<(), ProviderError> {
        let CallDelta { index, id, function: FunctionDelta { name, arguments } } = delta;
        let calls = &mut self.choice.tool_calls;
        // Without a number, a name begins the next call.
        let at = index.unwrap_or(calls.len().saturating_sub(usize::from(name.is_none())));
        if at >= MAX_CALLS {
            return Err(ProviderError::internal(format!(
                "the model calls more than {MAX_CALLS} tools"
            )));
        }
        while calls.len() <= at {
            calls.push(ToolCall { id: None, name: String::new(), arguments: String::new() });
        }
        let call = &mut calls[at];
        call.id = id.filter(|id| !id.is_empty()).or(call.id.take());
        call.name.extend(name);
        call.arguments.extend(arguments);
        Ok(())
    }
}
