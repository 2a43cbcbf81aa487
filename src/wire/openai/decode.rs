//! Decodes requests and checks what mynah does not support.

use bytes::Bytes;
use twox_hash::XxHash3_64;

use super::{
    ChatRequest,
    body::{Body, Function, ResponseFormat, Tool},
    completion::Completion,
    invalid, messages,
    read::{answer_schema, lazy_json, position, read},
};
use crate::{
    chat::{self, LazyJson, Request},
    wire::error::Error,
};

/// The largest number of choices in an answer.
const MAX_CHOICES: u64 = 16;

/// Decodes the body of a request. The component is still unknown.
pub(super) fn decode(bytes: &Bytes) -> Result<ChatRequest, Error> {
    let body: Body<'_> = read(bytes)?;
    check_supported(&body)?;
    let max_tokens = max_tokens(&body)?;
    let offered = body.tools.into_iter().flatten().enumerate();
    let tools =
        offered.map(|(at, offered)| tool(at, offered, bytes)).collect::<Result<Vec<_>, Error>>()?;
    let missing = || invalid("messages", "missing; expected an array of messages");
    let options = body.stream_options;
    let completion = Completion {
        id: format!("chatcmpl-{:016x}", XxHash3_64::oneshot(bytes)),
        model: body.model.map(|model| model.into_owned()).unwrap_or_default(),
        choices: choices(body.n)?,
        includes_usage: options.and_then(|options| options.include_usage).unwrap_or_default(),
    };
    let (messages, large) = messages::decode(body.messages.ok_or_else(missing)?)?;
    let large_attachments = large.into_iter().map(|it| position(it, bytes)).collect();
    let request = Request {
        model: Some(completion.model.clone()).filter(|model| !model.is_empty()),
        messages,
        tools,
        single_tool_call: body.parallel_tool_calls == Some(false),
        response_format: body.response_format.map(|it| schema(it, bytes)).transpose()?.flatten(),
        temperature: body.temperature,
        max_tokens,
        metadata: body.metadata.unwrap_or_default(),
        ..Request::default()
    };
    let is_streamed = body.stream.unwrap_or_default();
    let (component, tool_choice) = (String::new(), body.tool_choice);
    Ok(ChatRequest { component, is_streamed, request, tool_choice, completion, large_attachments })
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
    let schema = format.json_schema.and_then(|it| it.schema);
    let params = ["response_format.type", "response_format.json_schema.schema"];
    answer_schema(&format.kind, schema, params, body)
}
