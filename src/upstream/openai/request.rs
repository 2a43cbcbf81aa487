//! The body of a request, as daprd writes it.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    go_duration::go_duration,
    messages::{self, MessageBody},
};
use crate::{
    chat::{Request, Tool, ToolChoice},
    provider::ProviderError,
};

/// The parameters that are passed on. The API is asked for one choice, so `n` is not one of them.
const PARAMETERS: [&str; 6] =
    ["seed", "stop", "top_p", "presence_penalty", "frequency_penalty", "logit_bias"];

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
    #[serde(skip_serializing_if = "metadata_is_empty")]
    metadata: Cow<'a, BTreeMap<String, String>>,
    #[serde(flatten)]
    parameters: BTreeMap<&'a str, Value>,
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
    let (has_own_temperature, is_reasoning) = (has_own_temperature(model), is_reasoning(model));
    let (own, other) = (request.max_tokens, None);
    let [max_tokens, max_completion_tokens] =
        if has_own_temperature || is_reasoning { [other, own] } else { [own, other] };
    let body = Body {
        model,
        messages: match is_reasoning {
            true => messages::encode_without_system(&request.messages)?,
            false => messages::encode(&request.messages)?,
        },
        // daprd sends 0 if the request has none.
        temperature: (!has_own_temperature).then(|| request.temperature.unwrap_or_default()),
        max_tokens,
        max_completion_tokens,
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: tool_choice(request),
        parallel_tool_calls: request.single_tool_call.then_some(false),
        response_format: request.response_format.as_ref().map(|it| response_format(it.read())),
        metadata: metadata(request),
        parameters: parameters(request),
        stream: is_streamed.then_some(true),
        stream_options: with_usage.then_some(StreamOptions { include_usage: true }),
    };
    serde_json::to_vec(&body).map_err(|error| ProviderError::internal(error.to_string()))
}

fn metadata_is_empty(metadata: &BTreeMap<String, String>) -> bool {
    metadata.is_empty()
}

/// Returns the metadata, to which daprd adds how long prompts may be cached.
fn metadata(request: &Request) -> Cow<'_, BTreeMap<String, String>> {
    let Some(retention) = request.prompt_cache_retention else {
        return Cow::Borrowed(&request.metadata);
    };
    let mut metadata = request.metadata.clone();
    metadata.insert("prompt_cache_retention".to_owned(), go_duration(retention));
    Cow::Owned(metadata)
}

/// Returns `true` if a model knows no system messages: o1 and o3, their mini and their preview.
fn is_reasoning(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    let variant = model.strip_prefix("o1").or_else(|| model.strip_prefix("o3"));
    matches!(variant, Some("" | "-mini" | "-preview"))
}

/// Returns `true` if a model refuses a temperature and the older limit of tokens.
fn has_own_temperature(model: &str) -> bool {
    model == "o3" || ["gpt-5", "o1-", "o3-"].iter().any(|start| model.starts_with(start))
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

/// Returns the parameters of OpenAI's API. daprd does not pass on those of Dapr's API, which have types.
fn parameters(request: &Request) -> BTreeMap<&str, Value> {
    let passed = |name: &&'static str| Some((*name, request.parameters.get(*name)?.read_json()?));
    PARAMETERS.iter().filter_map(passed).collect()
}

/// The name and the strictness are beside the schema in Dapr's API.
fn response_format(mut schema: Value) -> Value {
    if schema == json!({ "type": "json_object" }) {
        return schema;
    }
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
