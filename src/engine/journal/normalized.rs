//! Parts of requests as they are shown in the same form for all APIs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::chat::{Message, Role, Tool, ToolCall};

/// The keys of requests that are not parameters.
const CONTENT: [&str; 6] = ["name", "inputs", "messages", "input", "instructions", "tools"];

/// A message of a request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryMessage", deny_unknown_fields)]
pub(super) struct ShownMessage {
    /// `developer`, `system`, `user`, `assistant` or `tool`.
    role: &'static str,
    /// The name of the participant, or of the tool whose result this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    name: Option<String>,
    /// The texts, joined by line breaks.
    text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ShownToolCall>,
    /// The id of the tool call whose result this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    tool_id: Option<String>,
}

/// A call of a tool.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryToolCall", deny_unknown_fields)]
pub(super) struct ShownToolCall {
    id: Option<String>,
    name: String,
    /// The arguments as JSON text. It may be invalid, if a test wants that.
    arguments: String,
}

/// A tool that a request offers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryTool", deny_unknown_fields)]
pub(super) struct ShownTool {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    description: Option<String>,
    /// The JSON Schema of the arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    parameters: Option<Value>,
}

impl From<Message> for ShownMessage {
    fn from(message: Message) -> Self {
        let (role, text) = (message.role.as_str(), message.text().into_owned());
        let (tool_calls, tool_id, tool) = match message.role {
            Role::Assistant { tool_calls } => (tool_calls, None, None),
            Role::Tool { id, name } => (Vec::new(), id, Some(name).filter(|it| !it.is_empty())),
            Role::Developer | Role::System | Role::User => (Vec::new(), None, None),
        };
        let tool_calls = tool_calls.into_iter().map(ShownToolCall::from).collect();
        Self { role, name: tool.or(message.name), text, tool_calls, tool_id }
    }
}

impl From<ToolCall> for ShownToolCall {
    fn from(ToolCall { id, name, arguments }: ToolCall) -> Self {
        Self { id, name, arguments }
    }
}

impl From<Tool> for ShownTool {
    fn from(Tool { name, description, parameters }: Tool) -> Self {
        let parameters = parameters.map(|schema| schema.read()).filter(|it| !it.is_null());
        Self { name, description, parameters }
    }
}

/// Returns the keys of a request that are neither its messages nor its tools, in snake case.
pub(super) fn parameters(request: Option<&Value>) -> Map<String, Value> {
    let members = request.and_then(Value::as_object).into_iter().flatten();
    let others = members.filter(|(name, _)| !CONTENT.contains(&name.as_str()));
    others.map(|(name, value)| (snake_case(name), value.clone())).collect()
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len());
    for char in name.chars() {
        if char.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(char.to_ascii_lowercase());
    }
    snake
}
