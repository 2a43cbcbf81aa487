//! Decodes requests and checks what mynah does not support.

use std::{collections::BTreeMap, fmt::Write};

use bytes::Bytes;
use serde_json::value::RawValue;
use twox_hash::XxHash3_64;

use super::{
    ChatRequest, FromBody,
    answer_format::AnswerFormat,
    body::{self, Body, Function, JsonSchema, Part, ResponseFormat, TextOr, Tool},
    completion::Completion,
    invalid,
    parameters::parameters,
    read::{lazy_json, position, read},
};
use crate::{
    chat::{self, Attachment, LazyJson, Message, Request, Role, ToolCall},
    wire::error::Error,
};

/// The largest number of choices in an answer.
const MAX_CHOICES: u64 = 16;

impl FromBody for ChatRequest {
    fn from_body(bytes: &Bytes) -> Result<Self, Error> {
        let body: Body<'_> = read(bytes)?;
        check_supported(&body)?;
        let (max_tokens, parameters) = (max_tokens(&body)?, parameters(&body, bytes));
        let offered = body.tools.into_iter().flatten().enumerate();
        let tools = offered
            .map(|(at, offered)| tool(at, offered, bytes))
            .collect::<Result<Vec<_>, Error>>()?;
        let missing = || invalid("messages", "missing; expected an array of messages");
        let options = body.stream_options;
        let completion = Completion {
            id: completion_id(bytes),
            model: body.model.map(|model| model.into_owned()).unwrap_or_default(),
            choices: choices(body.n)?,
            includes_usage: options.and_then(|options| options.include_usage).unwrap_or_default(),
        };
        let (messages, large) = messages(body.messages.ok_or_else(missing)?)?;
        let large_attachments = large.into_iter().map(|it| position(it, bytes)).collect();
        let request = Request {
            model: Some(completion.model.clone()).filter(|model| !model.is_empty()),
            messages,
            tools,
            single_tool_call: body.parallel_tool_calls == Some(false),
            response_format: body
                .response_format
                .map(|it| schema(it, bytes))
                .transpose()?
                .flatten(),
            temperature: body.temperature,
            max_tokens,
            parameters,
            metadata: body.metadata.unwrap_or_default(),
            ..Request::default()
        };
        let is_streamed = body.stream.unwrap_or_default();
        let (component, tool_choice) = (String::new(), body.tool_choice);
        Ok(Self { component, is_streamed, request, tool_choice, completion, large_attachments })
    }
}

/// Returns the id of the answer to a request with this body.
fn completion_id(body: &[u8]) -> String {
    let mut id = String::with_capacity("chatcmpl-".len() + 16);
    // Writing to a string never fails.
    let _ = write!(id, "chatcmpl-{:016x}", XxHash3_64::oneshot(body));
    id
}

/// Rejects what would change the answer and is not supported.
fn check_supported(body: &Body<'_>) -> Result<(), Error> {
    if body.logprobs == Some(true) {
        return Err(invalid("logprobs", "true is not supported; expected false"));
    }
    if body.functions.is_some() {
        return Err(invalid("functions", "not supported; expected tools instead"));
    }
    if body.function_call.is_some() {
        return Err(invalid("function_call", "not supported; expected tool_choice instead"));
    }
    Ok(())
}

/// Returns the smaller one of the two limits.
fn max_tokens(body: &Body<'_>) -> Result<Option<i64>, Error> {
    let limits =
        [("max_completion_tokens", body.max_completion_tokens), ("max_tokens", body.max_tokens)];
    let invalid_limit = limits.iter().find(|(_, limit)| limit.is_some_and(|limit| limit < 1));
    if let Some((key, Some(limit))) = invalid_limit {
        return Err(invalid(key, format!("{limit} is out of range; expected at least 1")));
    }
    Ok(limits.into_iter().filter_map(|(_, limit)| limit).min())
}

fn choices(n: Option<u64>) -> Result<u64, Error> {
    let choices = n.unwrap_or(1);
    if !(1..=MAX_CHOICES).contains(&choices) {
        return Err(invalid(
            "n",
            format!("{choices} is out of range; expected 1 to {MAX_CHOICES}"),
        ));
    }
    Ok(choices)
}

fn tool(at: usize, tool: Tool<'_>, body: &Bytes) -> Result<chat::Tool, Error> {
    if tool.kind != "function" {
        let reason = format!("{:?} is not supported; expected \"function\"", tool.kind);
        return Err(invalid(format!("tools[{at}].type"), reason));
    }
    let missing = || invalid(format!("tools[{at}].function"), "missing");
    let Function { name, description, parameters } = tool.function.ok_or_else(missing)?;
    Ok(chat::Tool { name, description, parameters: parameters.map(|it| lazy_json(it, body)) })
}

/// Returns the JSON Schema of the answer, or `None` if the answer is a text.
fn schema(format: ResponseFormat<'_>, body: &Bytes) -> Result<Option<LazyJson>, Error> {
    let ResponseFormat { kind, json_schema } = format;
    let JsonSchema { name, strict, schema } = json_schema.unwrap_or_default();
    let params = ["response_format.type", "response_format.json_schema.schema"];
    AnswerFormat { kind: &kind, name, strict, schema, params }.schema(body)
}

/// The names of the called tools, by the ids of the calls.
type Called = BTreeMap<String, String>;

/// Decodes the messages, and returns the attachments that are large.
fn messages<'a>(messages: Vec<body::Message<'a>>) -> Result<(Vec<Message>, Large<'a>), Error> {
    let (mut called, mut large) = (Called::new(), Large::new());
    let decode = |(at, source)| message(at, source, &mut called, &mut large);
    let messages = messages.into_iter().enumerate().map(decode).collect::<Result<_, Error>>()?;
    Ok((messages, large))
}

fn message<'a>(
    at: usize,
    source: body::Message<'a>,
    called: &mut Called,
    large: &mut Large<'a>,
) -> Result<Message, Error> {
    let role = match source.role {
        body::Role::Developer => Role::Developer,
        body::Role::System => Role::System,
        body::Role::User => Role::User,
        body::Role::Assistant => {
            let calls = source.tool_calls.unwrap_or_default();
            Role::Assistant { tool_calls: calls.into_iter().map(|it| call(it, called)).collect() }
        }
        body::Role::Tool => {
            let id = source.tool_call_id;
            let missing = || invalid(format!("messages[{at}].tool_call_id"), "missing");
            let id = id.ok_or_else(missing)?;
            // A result names its tool only by the id of the call.
            let name = called.get(&id).cloned().unwrap_or_default();
            Role::Tool { id: Some(id), name }
        }
    };
    let mut message =
        Message { role, name: source.name, parts: Vec::new(), attachments: Vec::new() };
    let path = || format!("messages[{at}].content");
    content(path, source.content, part, &mut message, large)?;
    Ok(message)
}

fn call(source: body::ToolCall, called: &mut Called) -> ToolCall {
    let body::ToolCall { id, function: body::CalledFunction { name, arguments } } = source;
    if let Some(id) = &id {
        called.insert(id.clone(), name.clone());
    }
    ToolCall { id, name, arguments }
}

/// Maximum size in bytes of an attachment that the journal keeps, such as the URL of an image.
const MAX_KEPT: usize = 256;

/// The attachments of a request that are too large for the journal, in order.
pub(super) type Large<'a> = Vec<&'a RawValue>;

/// What a part of a message has.
pub(super) enum PartContent<'a> {
    Text(String),
    Attachment(Attachment, &'a RawValue),
}

/// A part, or the key that is wrong in it with the reason.
pub(super) type PartResult<'a> = Result<PartContent<'a>, (&'static str, String)>;

/// Adds content to a message. `path` is where the content is, for errors.
pub(super) fn content<'a, P>(
    path: impl Fn() -> String,
    content: Option<TextOr<P>>,
    read: impl Fn(P) -> PartResult<'a>,
    message: &mut Message,
    large: &mut Large<'a>,
) -> Result<(), Error> {
    let parts = match content {
        None => return Ok(()),
        Some(TextOr::Text(text)) => {
            message.parts.push(text);
            return Ok(());
        }
        Some(TextOr::List(parts)) => parts,
    };
    for (at, part) in parts.into_iter().enumerate() {
        let invalid = |(key, reason)| invalid(format!("{}[{at}].{key}", path()), reason);
        match read(part).map_err(invalid)? {
            PartContent::Text(text) => message.parts.push(text),
            PartContent::Attachment(attachment, value) => {
                message.attachments.push(attachment);
                if value.get().len() > MAX_KEPT {
                    large.push(value);
                }
            }
        }
    }
    Ok(())
}

/// Reads a part of a message of a chat completion.
fn part(part: Part<'_>) -> PartResult<'_> {
    let missing = |key| move || (key, "missing".to_owned());
    let (key, attachment, value) = match part.kind.as_str() {
        "text" => return part.text.map(PartContent::Text).ok_or_else(missing("text")),
        "refusal" => return part.refusal.map(PartContent::Text).ok_or_else(missing("refusal")),
        "image_url" => ("image_url", Attachment::Image, part.image_url),
        "input_audio" => ("input_audio", Attachment::Audio, part.input_audio),
        "file" => ("file", Attachment::File, part.file),
        kind => {
            let expected = "text, image_url, input_audio, file, refusal";
            let reason = format!("{kind:?} is not supported; expected one of: {expected}");
            return Err(("type", reason));
        }
    };
    value.map(|value| PartContent::Attachment(attachment, value)).ok_or_else(missing(key))
}
