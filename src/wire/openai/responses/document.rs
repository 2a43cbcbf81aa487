//! Encodes responses, and what they share with [`events`](super::events).

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;

use super::history::{Settings, joined};
use crate::{
    chat::{self, FinishReason, MissingPart, ToolCall},
    wire::openai::completion::{CREATED, encode},
};

/// What a response needs of its request.
#[derive(Debug)]
pub(super) struct Outline {
    /// The hash of the request, of which ids are made.
    pub(super) hash: u64,
    /// The model that the request names.
    pub(super) model: String,
    pub(super) settings: Settings,
    /// The items of the request, if the response is to be kept.
    pub(super) history: Option<String>,
}

/// The whole answer to a request.
#[derive(Debug)]
pub struct ResponseAnswer {
    pub(super) outline: Arc<Outline>,
    pub(super) response: chat::Response,
}

/// A response that a later request may continue.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KeptResponse {
    pub(crate) id: String,
    /// The items of the request and of the response, as JSON separated by commas.
    pub(crate) items: String,
    /// The items of the response as JSON, by id.
    pub(crate) output: BTreeMap<String, String>,
    /// The response as JSON.
    pub(crate) body: String,
}

#[derive(Serialize)]
pub(super) struct Document<'a> {
    id: String,
    object: &'static str,
    created_at: u64,
    status: &'static str,
    error: Option<Failure<'a>>,
    incomplete_details: Option<Incomplete>,
    model: &'a str,
    output: Vec<Item<'a>>,
    usage: Option<Usage>,
    #[serde(flatten)]
    settings: &'a Settings,
}

#[derive(Serialize)]
struct Failure<'a> {
    code: &'static str,
    message: &'a str,
}

#[derive(Serialize)]
struct Incomplete {
    reason: &'static str,
}

/// An item of the output.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item<'a> {
    Message {
        id: String,
        status: &'static str,
        role: &'static str,
        content: Vec<Part<'a>>,
    },
    FunctionCall {
        id: String,
        status: &'static str,
        arguments: &'a str,
        call_id: &'a str,
        name: &'a str,
    },
}

#[derive(Serialize)]
pub(super) struct Part<'a> {
    r#type: &'static str,
    annotations: [(); 0],
    logprobs: [(); 0],
    text: &'a str,
}

#[derive(Serialize)]
struct Usage {
    input_tokens: u64,
    input_tokens_details: InputDetails,
    output_tokens: u64,
    output_tokens_details: OutputDetails,
    total_tokens: u64,
}

#[derive(Serialize)]
struct InputDetails {
    cached_tokens: u64,
}

#[derive(Serialize)]
struct OutputDetails {
    reasoning_tokens: u64,
}

pub(super) const IN_PROGRESS: &str = "in_progress";
pub(super) const COMPLETED: &str = "completed";
pub(super) const INCOMPLETE: &str = "incomplete";

impl Item<'_> {
    fn id(&self) -> &str {
        match self {
            Self::Message { id, .. } | Self::FunctionCall { id, .. } => id,
        }
    }
}

impl KeptResponse {
    /// Returns the id of the response that has the item with this id.
    pub(crate) fn id_of_item(item: &str) -> Option<String> {
        item.split('_').nth(1).map(|hash| format!("resp_{hash}"))
    }

    /// Returns the JSON of an item of the response.
    pub(crate) fn item(&self, id: &str) -> Option<String> {
        self.output.get(id).cloned()
    }

    /// Returns the memory that it takes in bytes.
    pub(crate) fn size(&self) -> usize {
        let output: usize = self.output.iter().map(|(id, item)| id.len() + item.len()).sum();
        size_of::<Self>() + self.id.len() + self.items.len() + output + self.body.len()
    }
}

impl ResponseAnswer {
    /// Returns roughly the size of the encoded answer in bytes.
    pub(crate) fn size(&self) -> usize {
        self.response.size() + self.outline.settings.size()
    }

    /// Encodes the answer as JSON.
    pub(crate) fn to_json(&self) -> String {
        encode(&self.outline.finished(&self.response))
    }

    /// Returns what is kept of the response, whose JSON is given, unless the request asks to keep
    /// nothing.
    pub(crate) fn kept(&self, body: &str) -> Option<KeptResponse> {
        self.outline.kept(&self.response, body)
    }
}

impl Outline {
    pub(super) fn id(&self) -> String {
        format!("resp_{:016x}", self.hash)
    }

    pub(super) fn message_id(&self) -> String {
        format!("msg_{:016x}", self.hash)
    }

    pub(super) fn call_id(&self, at: usize) -> String {
        format!("fc_{:016x}_{at}", self.hash)
    }

    /// Returns a response that has not ended.
    pub(super) fn in_progress(&self) -> Document<'_> {
        self.document(IN_PROGRESS, Vec::new(), None)
    }

    /// Returns a response that has ended with an error.
    pub(super) fn failed<'a>(&'a self, code: &'static str, message: &'a str) -> Document<'a> {
        let error = Some(Failure { code, message });
        Document { error, ..self.document("failed", Vec::new(), None) }
    }

    /// Returns a response that has ended.
    pub(super) fn finished<'a>(&'a self, response: &'a chat::Response) -> Document<'a> {
        let reason = incomplete_reason(response);
        Document {
            incomplete_details: reason.map(|reason| Incomplete { reason }),
            ..self.document(status(response), self.output(response), response.usage)
        }
    }

    fn document<'a>(
        &'a self,
        status: &'static str,
        output: Vec<Item<'a>>,
        usage: Option<chat::Usage>,
    ) -> Document<'a> {
        Document {
            id: self.id(),
            object: "response",
            created_at: CREATED,
            status,
            error: None,
            incomplete_details: None,
            model: &self.model,
            output,
            usage: usage.map(Usage::from),
            settings: &self.settings,
        }
    }

    /// Returns the items of a response: the message, if there is one, and the calls.
    fn output<'a>(&self, response: &'a chat::Response) -> Vec<Item<'a>> {
        if response.missing.is_some_and(|part| part != MissingPart::Message) {
            return Vec::new();
        }
        let message = has_message(response).then(|| {
            let content = response.missing.is_none().then(|| part(&response.content));
            self.message(status(response), content)
        });
        let calls = response.tool_calls.iter().enumerate();
        let calls = calls.map(|(at, call)| self.call(at, call, COMPLETED, &call.arguments));
        message.into_iter().chain(calls).collect()
    }

    /// Returns a message with at most one part.
    pub(super) fn message<'a>(&self, status: &'static str, content: Option<Part<'a>>) -> Item<'a> {
        let content = content.into_iter().collect();
        Item::Message { id: self.message_id(), status, role: "assistant", content }
    }

    /// Returns a call with as much of its arguments as is sent.
    pub(super) fn call<'a>(
        &self,
        at: usize,
        call: &'a ToolCall,
        status: &'static str,
        arguments: &'a str,
    ) -> Item<'a> {
        let call_id = call.id.as_deref().unwrap_or_default();
        Item::FunctionCall { id: self.call_id(at), status, arguments, call_id, name: &call.name }
    }

    pub(super) fn kept(&self, response: &chat::Response, body: &str) -> Option<KeptResponse> {
        let history = self.history.as_ref()?;
        let output = self.output(response);
        let encoded: Vec<_> = output.iter().map(encode).collect();
        let items = joined(history, &encoded.join(","));
        let ids = output.iter().map(|item| item.id().to_owned());
        let output = ids.zip(encoded).collect();
        Some(KeptResponse { id: self.id(), items, output, body: body.to_owned() })
    }
}

/// Returns `true` if a response has a message: unless tools are called without one.
pub(super) fn has_message(response: &chat::Response) -> bool {
    !response.content.is_empty() || response.tool_calls.is_empty()
}

pub(super) fn part(text: &str) -> Part<'_> {
    Part { r#type: "output_text", annotations: [], logprobs: [], text }
}

pub(super) fn status(response: &chat::Response) -> &'static str {
    if incomplete_reason(response).is_some() { INCOMPLETE } else { COMPLETED }
}

fn incomplete_reason(response: &chat::Response) -> Option<&'static str> {
    match response.finish_reason {
        FinishReason::Length => Some("max_output_tokens"),
        FinishReason::ContentFilter => Some("content_filter"),
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other(_) => None,
    }
}

impl From<chat::Usage> for Usage {
    fn from(usage: chat::Usage) -> Self {
        Self {
            input_tokens: usage.prompt_tokens,
            input_tokens_details: InputDetails { cached_tokens: usage.cached_tokens },
            output_tokens: usage.completion_tokens,
            output_tokens_details: OutputDetails { reasoning_tokens: usage.reasoning_tokens },
            total_tokens: usage.total_tokens(),
        }
    }
}
