//! Encodes whole answers, and what they share with [`events`](super::events).

use std::sync::Arc;

use serde::Serialize;

use crate::{
    chat::{self, MissingPart, Response, ToolCall, Usage},
    wire::{error::Error, json::to_vec},
};

/// The time at which answers claim to be created: an answer contains no clock.
pub(super) const CREATED: u64 = 0;

/// What an answer needs of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Completion {
    pub(super) id: String,
    /// The model that the request names.
    pub(super) model: String,
    /// The number of equal choices.
    pub(super) choices: u64,
    /// Whether a stream ends with the usage.
    pub(super) includes_usage: bool,
}

/// The whole answer to a request.
#[derive(Debug)]
pub struct Answer {
    completion: Arc<Completion>,
    response: Response,
}

impl Completion {
    /// Returns the number of choices in a response.
    pub(super) fn choices(&self, response: &Response) -> u64 {
        match response.missing {
            Some(MissingPart::Outputs | MissingPart::Choices) => 0,
            Some(MissingPart::Message) | None => self.choices,
        }
    }

    /// Returns the other choices of a response, unless the client wants equal ones.
    pub(super) fn others<'r>(&self, response: &'r Response) -> &'r [chat::Choice] {
        let has_one = self.choices == 1 && response.missing.is_none();
        if has_one { &response.others } else { &[] }
    }

    /// Returns an object of the API with these choices.
    pub(super) fn document<C>(
        &self,
        object: &'static str,
        choices: Vec<C>,
        usage: UsageMember,
    ) -> Document<'_, C> {
        let (id, model) = (&*self.id, &*self.model);
        Document { id, object, created: CREATED, model, choices, usage }
    }
}

/// An object of the API.
#[derive(Serialize)]
pub(super) struct Document<'a, C> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: Vec<C>,
    #[serde(skip_serializing_if = "UsageMember::is_absent")]
    usage: UsageMember,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u64,
    message: Option<AnswerMessage<'a>>,
    logprobs: Option<()>,
    finish_reason: &'a str,
}

#[derive(Serialize)]
struct AnswerMessage<'a> {
    role: &'static str,
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    reasoning_content: &'a str,
    refusal: Option<()>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallDelta<'a>>,
}

/// A tool call, or in a stream a part of one.
#[derive(Serialize)]
pub(super) struct CallDelta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

/// The usage in an object of the API.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum UsageMember {
    Absent,
    Null,
    Known(EncodedUsage),
}

#[derive(Serialize)]
pub(super) struct EncodedUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_tokens_details: Option<CompletionDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Serialize)]
struct CompletionDetails {
    reasoning_tokens: u64,
}

#[derive(Serialize)]
struct PromptDetails {
    cached_tokens: u64,
}

impl Answer {
    pub(super) fn new(completion: Arc<Completion>, response: Response) -> Self {
        Self { completion, response }
    }

    /// Returns roughly the size of the encoded answer in bytes.
    pub(crate) fn size(&self) -> usize {
        let choices = usize::try_from(self.completion.choices).unwrap_or(usize::MAX);
        self.response.size().saturating_mul(choices)
    }

    /// Encodes the answer as JSON.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, Error> {
        let Self { completion, response } = self;
        let has_message = response.missing != Some(MissingPart::Message);
        let choice = |index| Choice {
            index,
            message: has_message.then(|| AnswerMessage::first(response)),
            logprobs: None,
            finish_reason: finish_reason(response),
        };
        let others = (1..).zip(completion.others(response)).map(Choice::other);
        let mut choices: Vec<_> = (0..completion.choices(response)).map(choice).collect();
        choices.extend(others);
        let usage = response.usage.map_or(UsageMember::Absent, UsageMember::from);
        let document = completion.document("chat.completion", choices, usage);
        to_vec(&document).map_err(|error| Error::BodyRead(error.to_string()))
    }
}

impl<'a> Choice<'a> {
    /// Encodes another choice, of a response without a fault.
    fn other((index, choice): (u64, &'a chat::Choice)) -> Self {
        let message = Some(AnswerMessage::other(choice));
        Self { index, message, logprobs: None, finish_reason: choice.finish_reason.as_str() }
    }
}

impl<'a> AnswerMessage<'a> {
    fn first(response: &'a Response) -> Self {
        let Response { reasoning, content, tool_calls, .. } = response;
        Self::new(reasoning, content, tool_calls)
    }

    fn other(choice: &'a chat::Choice) -> Self {
        let chat::Choice { reasoning, content, tool_calls, .. } = choice;
        Self::new(reasoning, content, tool_calls)
    }

    fn new(reasoning_content: &'a str, text: &'a str, calls: &'a [ToolCall]) -> Self {
        // Without a text, calls have none.
        let is_absent = text.is_empty() && !calls.is_empty();
        Self {
            role: "assistant",
            content: (!is_absent).then_some(text),
            reasoning_content,
            refusal: None,
            tool_calls: calls.iter().map(CallDelta::whole).collect(),
        }
    }
}

impl UsageMember {
    fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl From<Usage> for UsageMember {
    fn from(usage: Usage) -> Self {
        let Usage { reasoning_tokens, cached_tokens, .. } = usage;
        Self::Known(EncodedUsage {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            total_tokens: usage.total_tokens(),
            completion_tokens_details: (reasoning_tokens > 0)
                .then_some(CompletionDetails { reasoning_tokens }),
            prompt_tokens_details: (cached_tokens > 0).then_some(PromptDetails { cached_tokens }),
        })
    }
}

pub(super) fn finish_reason(response: &Response) -> &str {
    response.finish_reason.as_str()
}

impl<'a> CallDelta<'a> {
    fn whole(call: &'a ToolCall) -> Self {
        Self {
            index: None,
            id: Some(call.id.as_deref().unwrap_or_default()),
            r#type: Some("function"),
            function: Function { name: Some(&call.name), arguments: &call.arguments },
        }
    }

    /// Adds the call with this index as a whole.
    pub(super) fn whole_at(index: usize, call: &'a ToolCall) -> Self {
        Self { index: Some(index), ..Self::whole(call) }
    }

    /// Begins the call with this index, without its arguments.
    pub(super) fn begun(index: usize, call: &'a ToolCall) -> Self {
        let function = Function { name: Some(&call.name), arguments: "" };
        Self { index: Some(index), function, ..Self::whole(call) }
    }

    /// Adds to the arguments of the call with this index.
    pub(super) fn added(index: usize, arguments: &'a str) -> Self {
        let function = Function { name: None, arguments };
        Self { index: Some(index), id: None, r#type: None, function }
    }
}

#[derive(Serialize)]
struct Model<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

#[derive(Serialize)]
struct List<'a> {
    object: &'static str,
    data: Vec<Model<'a>>,
}

/// Encodes a list of models.
pub(crate) fn models<'a>(names: impl Iterator<Item = &'a str>) -> String {
    encode(&List { object: "list", data: names.map(describe).collect() })
}

/// Encodes one model.
pub(crate) fn model(name: &str) -> String {
    encode(&describe(name))
}

fn describe(id: &str) -> Model<'_> {
    Model { id, object: "model", created: CREATED, owned_by: "mynah" }
}

/// Encodes an object of which every part can be encoded.
pub(super) fn encode(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
