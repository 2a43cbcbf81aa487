//! The streamed answer of a model.

use serde::Deserialize;

use super::{
    error,
    reply::{self, UsageBody},
};
use crate::{
    chat::{Delta, Request, Response, ToolCall},
    provider::ProviderError,
};

/// Maximum number of calls in an answer, since their numbers come from the model.
const MAX_CALLS: usize = 1_024;

/// A piece of an answer.
#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<UsageBody>,
    #[serde(default)]
    model: Option<String>,
    /// Servers report an error in the middle of a stream this way.
    #[serde(default)]
    error: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct Choice {
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
    response: Response,
    finish_reason: Option<String>,
    has_choice: bool,
    model: Option<String>,
}

impl Pieces {
    /// Adds the data of an event. Returns the texts that it has.
    pub(super) fn add(&mut self, data: &str) -> Result<Vec<Delta>, ProviderError> {
        let chunk: Chunk =
            serde_json::from_str(data).map_err(|it| error::of_body(data.as_bytes(), &it))?;
        if let Some(error) = chunk.error {
            let message = error["message"].as_str().or(error.as_str()).unwrap_or_default();
            return Err(ProviderError::internal(message));
        }
        self.model = chunk.model.or(self.model.take());
        self.response.usage = chunk.usage.and_then(UsageBody::usage).or(self.response.usage);
        let Some(choice) = chunk.choices.into_iter().find(|choice| choice.index == 0) else {
            return Ok(Vec::new());
        };
        self.has_choice = true;
        self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        let MessageDelta { content, reasoning_content, refusal, tool_calls } = choice.delta;
        for call in tool_calls.into_iter().flatten() {
            self.add_call(call)?;
        }
        let is_text = |text: &String| !text.is_empty();
        let reasoning = reasoning_content.filter(is_text);
        let text = content.filter(is_text).or(refusal.filter(is_text));
        self.response.reasoning.extend(reasoning.as_deref());
        self.response.content.extend(text.as_deref());
        let deltas = [reasoning.map(Delta::Reasoning), text.map(Delta::Text)];
        Ok(deltas.into_iter().flatten().collect())
    }

    fn add_call(&mut self, delta: CallDelta) -> Result<(), ProviderError> {
        let CallDelta { index, id, function: FunctionDelta { name, arguments } } = delta;
        let calls = &mut self.response.tool_calls;
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

    /// Returns `true` if the model has said why it stopped.
    pub(super) fn has_ended(&self) -> bool {
        self.finish_reason.is_some()
    }

    /// Returns the whole answer.
    pub(super) fn complete(
        self,
        request: &Request,
        model: &str,
    ) -> Result<Response, ProviderError> {
        if !self.has_choice {
            return Err(error::empty());
        }
        let response = Response {
            finish_reason: reply::finish_reason(self.finish_reason.as_deref()),
            model: Some(model.to_owned()),
            served_by: self.model.map(String::into_boxed_str),
            ..self.response
        };
        reply::check(&response, request)?;
        Ok(response)
    }
}
