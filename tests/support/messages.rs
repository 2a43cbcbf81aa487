//! Short constructors for requests, and the parts of a response that tests check.

use bytes::Bytes;
use mynah::internals::wire::proto::{
    ConversationInputAlpha2, ConversationMessage, ConversationMessageContent,
    ConversationMessageOfAssistant, ConversationMessageOfDeveloper, ConversationMessageOfSystem,
    ConversationMessageOfTool, ConversationMessageOfUser, ConversationRequestAlpha2,
    ConversationResponseAlpha2, ConversationResultMessage, ConversationToolCalls,
    ConversationToolCallsOfFunction, ConversationTools, ConversationToolsFunction,
    conversation_message::MessageTypes, conversation_tool_calls, conversation_tools,
};
use prost::Message as _;
use prost_types::{ListValue, Struct, Value, value::Kind};
use serde_json::Value as Json;

/// Returns a request to the component `echo` with one input.
pub fn request(messages: impl Into<Vec<ConversationMessage>>) -> ConversationRequestAlpha2 {
    ConversationRequestAlpha2 {
        name: "echo".to_owned(),
        inputs: vec![input(messages)],
        ..Default::default()
    }
}

/// Returns a request with one user message and these tools.
pub fn prompt(text: &str, tools: impl Into<Vec<ConversationTools>>) -> ConversationRequestAlpha2 {
    ConversationRequestAlpha2 { tools: tools.into(), ..request([user(text)]) }
}

pub fn input(messages: impl Into<Vec<ConversationMessage>>) -> ConversationInputAlpha2 {
    ConversationInputAlpha2 { messages: messages.into(), scrub_pii: None }
}

pub fn user(text: &str) -> ConversationMessage {
    let content = content(text);
    message(MessageTypes::OfUser(ConversationMessageOfUser { name: None, content }))
}

pub fn system(text: &str) -> ConversationMessage {
    let content = content(text);
    message(MessageTypes::OfSystem(ConversationMessageOfSystem { name: None, content }))
}

pub fn developer(text: &str) -> ConversationMessage {
    let content = content(text);
    message(MessageTypes::OfDeveloper(ConversationMessageOfDeveloper { name: None, content }))
}

pub fn assistant(text: &str) -> ConversationMessage {
    assistant_with_calls(text, [])
}

/// Returns an assistant message with the text and the tool calls of an earlier turn.
pub fn assistant_with_calls(
    text: &str,
    tool_calls: impl Into<Vec<ConversationToolCalls>>,
) -> ConversationMessage {
    message(MessageTypes::OfAssistant(ConversationMessageOfAssistant {
        name: None,
        content: content(text),
        tool_calls: tool_calls.into(),
    }))
}

pub fn tool_call(id: &str, name: &str, arguments: &str) -> ConversationToolCalls {
    let function =
        ConversationToolCallsOfFunction { name: name.into(), arguments: arguments.into() };
    ConversationToolCalls {
        id: Some(id.to_owned()),
        tool_types: Some(conversation_tool_calls::ToolTypes::Function(function)),
    }
}

/// Returns a message with the result of a tool call.
pub fn tool_result(id: &str, name: &str, text: &str) -> ConversationMessage {
    message(MessageTypes::OfTool(ConversationMessageOfTool {
        tool_id: Some(id.to_owned()),
        name: name.to_owned(),
        content: content(text),
    }))
}

/// Returns a tool with this JSON Schema for its parameters. `null` means no schema.
pub fn tool(name: &str, parameters: Json) -> ConversationTools {
    described_tool(name, None, parameters)
}

/// Returns a tool with a description.
#[expect(clippy::needless_pass_by_value, reason = "callers can pass a `json!` literal")]
pub fn described_tool(
    name: &str,
    description: Option<&str>,
    parameters: Json,
) -> ConversationTools {
    let function = ConversationToolsFunction {
        name: name.to_owned(),
        description: description.map(str::to_owned),
        parameters: (!parameters.is_null()).then(|| encoded_schema(&parameters)),
    };
    ConversationTools { tool_types: Some(conversation_tools::ToolTypes::Function(function)) }
}

/// Returns a schema in encoded form.
pub fn encoded_schema(json: &Json) -> Bytes {
    encoded(&as_struct(json))
}

pub fn encoded(schema: &Struct) -> Bytes {
    schema.encode_to_vec().into()
}

pub fn as_struct(json: &Json) -> Struct {
    let members = json.as_object().unwrap();
    Struct { fields: members.iter().map(|(name, value)| (name.clone(), as_value(value))).collect() }
}

fn as_value(json: &Json) -> Value {
    let kind = match json {
        Json::Null => Kind::NullValue(0),
        Json::Bool(flag) => Kind::BoolValue(*flag),
        Json::Number(number) => Kind::NumberValue(number.as_f64().unwrap()),
        Json::String(text) => Kind::StringValue(text.clone()),
        Json::Array(items) => {
            Kind::ListValue(ListValue { values: items.iter().map(as_value).collect() })
        }
        Json::Object(_) => Kind::StructValue(as_struct(json)),
    };
    Value { kind: Some(kind) }
}

fn message(message_types: MessageTypes) -> ConversationMessage {
    ConversationMessage { message_types: Some(message_types) }
}

fn content(text: &str) -> Vec<ConversationMessageContent> {
    vec![ConversationMessageContent { text: text.to_owned() }]
}

/// The parts of a response that tests check.
#[derive(Debug)]
pub struct Answer {
    pub content: String,
    pub finish_reason: String,
    pub calls: Vec<ToolCall>,
    pub response: ConversationResponseAlpha2,
}

/// A tool call in an answer.
#[derive(Debug, Clone)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: Json,
}

impl Answer {
    /// Returns the names of the called tools.
    pub fn called_tools(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.name.as_str()).collect()
    }
}

/// Panics unless the response has exactly one output with one choice.
impl From<ConversationResponseAlpha2> for Answer {
    fn from(response: ConversationResponseAlpha2) -> Self {
        let [output] = response.outputs.as_slice() else { panic!("not one output: {response:?}") };
        let [choice] = output.choices.as_slice() else { panic!("not one choice: {response:?}") };
        assert_eq!(choice.index, 0);
        let ConversationResultMessage { content, tool_calls } = choice.message.clone().unwrap();
        let finish_reason = choice.finish_reason.clone();
        let calls = tool_calls.into_iter().map(parse_call).collect();
        Self { content, finish_reason, calls, response }
    }
}

fn parse_call(call: ConversationToolCalls) -> ToolCall {
    let Some(conversation_tool_calls::ToolTypes::Function(function)) = call.tool_types else {
        panic!("a call without a function");
    };
    ToolCall {
        id: call.id.unwrap(),
        name: function.name,
        arguments: serde_json::from_str(&function.arguments).unwrap(),
    }
}
