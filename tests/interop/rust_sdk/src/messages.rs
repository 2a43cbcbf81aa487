//! Helpers that create requests and read answers.

use std::collections::BTreeMap;

use dapr::{
    client::{
        ConversationInputAlpha2, ConversationInputAlpha2Builder, ConversationMessage,
        ConversationMessageContent, ConversationMessageOfAssistant, ConversationMessageOfTool,
        ConversationMessageOfUser, ConversationRequestAlpha2Builder, ConversationResponseAlpha2,
        ConversationToolCalls, ConversationTools,
    },
    dapr::proto::runtime::v1::{
        ConversationResultChoices, ConversationToolsFunction, conversation_tools::ToolTypes,
    },
};
use prost_types::{ListValue, Struct, Value, value::Kind};
use serde_json::Value as Json;

/// Returns a request to the built-in component.
pub(crate) fn prompt(messages: Vec<ConversationMessage>) -> ConversationRequestAlpha2Builder {
    ConversationRequestAlpha2Builder::new("echo", inputs(messages))
}

pub(crate) fn inputs(messages: Vec<ConversationMessage>) -> Vec<ConversationInputAlpha2> {
    vec![ConversationInputAlpha2Builder::new(messages).build()]
}

pub(crate) fn user(text: &str) -> ConversationMessage {
    ConversationMessageOfUser { name: None, content: content(text) }.into()
}

pub(crate) fn assistant(tool_calls: Vec<ConversationToolCalls>) -> ConversationMessage {
    ConversationMessageOfAssistant { tool_calls, ..Default::default() }.into()
}

pub(crate) fn result(id: &str, name: &str, text: &str) -> ConversationMessage {
    let (tool_id, name) = (Some(id.to_owned()), name.to_owned());
    ConversationMessageOfTool { tool_id, name, content: content(text) }.into()
}

fn content(text: &str) -> Vec<ConversationMessageContent> {
    vec![ConversationMessageContent { text: text.to_owned() }]
}

/// Returns a tool with this JSON Schema for its parameters.
pub(crate) fn tool(name: &str, schema: &Json) -> ConversationTools {
    let function = ConversationToolsFunction {
        name: name.to_owned(),
        description: None,
        parameters: Some(object(schema)),
    };
    ConversationTools { tool_types: Some(ToolTypes::Function(function)) }
}

/// Converts a JSON object to protobuf.
pub(crate) fn object(json: &Json) -> Struct {
    let fields = json.as_object().unwrap().iter();
    let fields: BTreeMap<_, _> = fields.map(|(key, json)| (key.clone(), value(json))).collect();
    Struct { fields }
}

fn value(json: &Json) -> Value {
    let kind = match json {
        Json::Null => Kind::NullValue(0),
        Json::Bool(bool) => Kind::BoolValue(*bool),
        Json::Number(number) => Kind::NumberValue(number.as_f64().unwrap()),
        Json::String(text) => Kind::StringValue(text.clone()),
        Json::Array(items) => {
            Kind::ListValue(ListValue { values: items.iter().map(value).collect() })
        }
        Json::Object(_) => Kind::StructValue(object(json)),
    };
    Value { kind: Some(kind) }
}

/// Returns the only choice of an answer.
pub(crate) fn only_choice(answer: &ConversationResponseAlpha2) -> &ConversationResultChoices {
    let [output] = &answer.outputs[..] else { panic!("not one output: {answer:?}") };
    let [choice] = &output.choices[..] else { panic!("not one choice: {answer:?}") };
    choice
}

/// Returns the text of a choice.
pub(crate) fn text(choice: &ConversationResultChoices) -> &str {
    &choice.message.as_ref().unwrap().content
}
