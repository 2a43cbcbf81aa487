//! Encodes a [`Request`] for another sidecar.

use bytes::Bytes;
use prost::Message as _;

use super::{
    proto::{
        self, conversation_message::MessageTypes, conversation_tool_calls,
        conversation_tools::ToolTypes,
    },
    structs::{self, from_json},
};
use crate::chat::{LazyJson, Message, Request, Role, Tool, ToolCall, ToolChoice};

/// Encodes a request for a component of another sidecar.
pub(crate) fn encode(request: &Request, component: &str) -> proto::ConversationRequestAlpha2 {
    proto::ConversationRequestAlpha2 {
        name: component.to_owned(),
        context_id: request.context_id.clone(),
        inputs: inputs(request),
        parameters: structs::encode_parameters(&request.parameters),
        metadata: request.metadata.clone(),
        scrub_pii: request.scrub_output.then_some(true),
        temperature: request.temperature,
        tools: request.tools.iter().map(encode_tool).collect(),
        tool_choice: tool_choice(&request.tool_choice),
        response_format: request.response_format.as_ref().map(encode_struct),
        prompt_cache_retention: request
            .prompt_cache_retention
            .and_then(|retention| retention.try_into().ok()),
        max_tokens: request.max_tokens,
    }
}

/// Encodes the messages. Consecutive messages that agree on scrubbing share an input.
fn inputs(request: &Request) -> Vec<proto::ConversationInputAlpha2> {
    let mut inputs: Vec<proto::ConversationInputAlpha2> = Vec::new();
    for (index, message) in request.messages.iter().enumerate() {
        let message = encode_message(message);
        let scrub_pii =
            request.scrub_inputs.iter().any(|range| range.contains(&index)).then_some(true);
        match inputs.last_mut().filter(|input| input.scrub_pii == scrub_pii) {
            Some(input) => input.messages.push(message),
            None => {
                inputs.push(proto::ConversationInputAlpha2 { messages: vec![message], scrub_pii });
            }
        }
    }
    inputs
}

/// Encodes one message.
pub(crate) fn encode_message(message: &Message) -> proto::ConversationMessage {
    let name = message.name.clone();
    let content_of = |text: &String| proto::ConversationMessageContent { text: text.clone() };
    let content = message.parts.iter().map(content_of).collect();
    let message_types = match &message.role {
        Role::Developer => {
            MessageTypes::OfDeveloper(proto::ConversationMessageOfDeveloper { name, content })
        }
        Role::System => {
            MessageTypes::OfSystem(proto::ConversationMessageOfSystem { name, content })
        }
        Role::User => MessageTypes::OfUser(proto::ConversationMessageOfUser { name, content }),
        Role::Assistant { tool_calls } => {
            MessageTypes::OfAssistant(proto::ConversationMessageOfAssistant {
                name,
                content,
                tool_calls: tool_calls.iter().map(encode_tool_call).collect(),
            })
        }
        // Some of daprd's components accept only one content part in a tool result.
        Role::Tool { id, name } => MessageTypes::OfTool(proto::ConversationMessageOfTool {
            tool_id: id.clone(),
            name: name.clone(),
            content: vec![content_of(&message.text().into_owned())],
        }),
    };
    proto::ConversationMessage { message_types: Some(message_types) }
}

fn encode_tool_call(call: &ToolCall) -> proto::ConversationToolCalls {
    let function = proto::ConversationToolCallsOfFunction {
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    };
    proto::ConversationToolCalls {
        id: call.id.clone(),
        tool_types: Some(conversation_tool_calls::ToolTypes::Function(function)),
    }
}

/// Encodes the definition of a tool.
pub(crate) fn encode_tool(tool: &Tool) -> proto::ConversationTools {
    let function = proto::ConversationToolsFunction {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.as_ref().map(encode_struct),
    };
    proto::ConversationTools { tool_types: Some(ToolTypes::Function(function)) }
}

fn encode_struct(json: &LazyJson) -> Bytes {
    from_json(&json.read()).encode_to_vec().into()
}

fn tool_choice(choice: &ToolChoice) -> Option<String> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none".to_owned()),
        ToolChoice::Required => Some("required".to_owned()),
        ToolChoice::Tool(name) => Some(name.clone()),
    }
}
