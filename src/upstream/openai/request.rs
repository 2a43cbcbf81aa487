//! The body of a request, as daprd writes it.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    chat::{ErrorKind, Message, Request, Role, Tool, ToolCall, ToolChoice},
    provider::ProviderError,
};

/// The body of a request.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<MessageBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct MessageBody<'a> {
    role: &'static str,
    content: Content<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<PartBody<'a>>),
}

#[derive(Serialize)]
struct PartBody<'a> {
    text: &'a str,
    r#type: &'static str,
}

#[derive(Serialize)]
struct CallBody<'a> {
    id: &'a str,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct ToolBody<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parameters: Value,
}

/// How an answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Whole,
    Stream {
        /// Some servers do not know the option for the usage.
        with_usage: bool,
    },
}

/// Encodes a request.
///
/// # Errors
///
/// Fails if the request has something that cannot be passed on, such as an image.
pub(super) fn encode(
    request: &Request,
    model: &str,
    delivery: Delivery,
) -> Result<Vec<u8>, ProviderError> {
    let is_streamed = delivery != Delivery::Whole;
    let with_usage = delivery == Delivery::Stream { with_usage: true };
    let has_own_temperature = has_own_temperature(model);
    let (own, other) = (request.max_tokens, None);
    let [max_tokens, max_completion_tokens] =
        if has_own_temperature { [other, own] } else { [own, other] };
    let body = Body {
        model,
        messages: request.messages.iter().map(message).collect::<Result<_, _>>()?,
        // daprd sends 0 if the request has none.
        temperature: (!has_own_temperature).then(|| request.temperature.unwrap_or_default()),
        max_tokens,
        max_completion_tokens,
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: tool_choice(request),
        parallel_tool_calls: request.single_tool_call.then_some(false),
        response_format: request.response_format.as_ref().map(|it| response_format(it.read())),
        metadata: &request.metadata,
        stream: is_streamed.then_some(true),
        stream_options: with_usage.then_some(StreamOptions { include_usage: true }),
    };
    serde_json::to_vec(&body).map_err(|error| ProviderError::internal(error.to_string()))
}

/// Returns `true` if a model refuses a temperature and the older limit of tokens.
fn has_own_temperature(model: &str) -> bool {
    model == "o3" || ["gpt-5", "o1-", "o3-"].iter().any(|start| model.starts_with(start))
}

fn message(message: &Message) -> Result<MessageBody<'_>, ProviderError> {
    if !message.attachments.is_empty() {
        let text = "images, recordings and files are not passed on to a model; send texts only";
        return Err(ProviderError::new(ErrorKind::InvalidArgument, text));
    }
    let content = match message.parts.as_slice() {
        [] => Content::Text("".into()),
        [text] => Content::Text(text.into()),
        parts => {
            Content::Parts(parts.iter().map(|text| PartBody { text, r#type: "text" }).collect())
        }
    };
    let (role, tool_call_id) = match &message.role {
        Role::System => ("system", None),
        // As daprd.
        Role::Developer | Role::User => ("user", None),
        Role::Assistant { .. } => ("assistant", None),
        Role::Tool { id, .. } => ("tool", id.as_deref()),
    };
    let tool_calls = message.tool_calls().iter().map(call).collect();
    Ok(MessageBody { role, content, tool_calls, tool_call_id })
}

fn call(call: &ToolCall) -> CallBody<'_> {
    let function = CalledFunction { name: &call.name, arguments: &call.arguments };
    CallBody { id: call.id.as_deref().unwrap_or_default(), r#type: "function", function }
}

fn tool(tool: &Tool) -> ToolBody<'_> {
    let parameters = tool.parameters.as_ref().map(|it| it.read()).filter(|it| !it.is_null());
    let parameters = parameters.unwrap_or_else(|| json!({}));
    let description = tool.description.as_deref();
    ToolBody {
        r#type: "function",
        function: Function { name: &tool.name, description, parameters },
    }
}

/// A tool by name is an object, as the API requires; daprd sends the name alone.
fn tool_choice(request: &Request) -> Option<Value> {
    match &request.tool_choice {
        ToolChoice::Auto => (!request.tools.is_empty()).then(|| "auto".into()),
        ToolChoice::None => Some("none".into()),
        ToolChoice::Required => Some("required".into()),
        ToolChoice::Tool(name) => Some(json!({ "type": "function", "function": { "name": name } })),
    }
}

/// The name and the strictness are beside the schema in Dapr's API.
fn response_format(mut schema: Value) -> Value {
    let mut take = |key: &str, is_valid: fn(&Value) -> bool| {
        let members = schema.as_object_mut()?;
        let value = members.get(key).filter(|value| is_valid(value))?.clone();
        members.remove(key);
        Some(value)
    };
    let name = take("name", Value::is_string).unwrap_or_else(|| "response".into());
    let strict = take("strict", Value::is_boolean).unwrap_or(false.into());
    let format = json!({ "name": name, "strict": strict, "schema": schema });
    json!({ "type": "json_schema", "json_schema": format })
}
