//! Encodes whole answers, and what they share with [`events`](super::events).

use std::sync::Arc;

use serde::Serialize;

use crate::{
    chat::{MissingPart, Response, ToolCall, Usage},
    wire::error::Error,
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

    /// Encodes an object of the API with these choices.
    pub(super) fn json<C: Serialize>(
        &self,
        object: &'static str,
        choices: Vec<C>,
        usage: UsageMember,
    ) -> Result<String, Error> {
        let (id, model) = (&*self.id, &*self.model);
        let document = Document { id, object, created: CREATED, model, choices, usage };
        serde_json::to_string(&document).map_err(|error| Error::BodyRead(error.to_string()))
    }
}

#[derive(Serialize)]
struct Document<'a, C> {
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
    pub(crate) fn to_json(&self) -> Result<String, Error> {
        let Self { completion, response } = self;
        let choice = |index| Choice {
            index,
            message: (response.missing != Some(MissingPart::Message)).then(|| AnswerMessage {
                role: "assistant",
                content: content(response),
                reasoning_content: &response.reasoning,
                refusal: None,
                tool_calls: response.tool_calls.iter().map(CallDelta::whole).collect(),
            }),
            logprobs: None,
            finish_reason: finish_reason(response),
        };
        let choices = (0..completion.choices(response)).map(choice).collect();
        let usage = response.usage.map_or(UsageMember::Absent, UsageMember::from);
        completion.json("chat.completion", choices, usage)
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

/// Returns the text, or `None` if tools are called without one.
fn content(response: &Response) -> Option<&str> {
    let is_absent = response.content.is_empty() && !response.tool_calls.is_empty();
    (!is_absent).then_some(&*response.content)
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
