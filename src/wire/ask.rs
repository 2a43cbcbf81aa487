//! The way to another sidecar: a [`Request`] into Dapr's message, and its answer into a [`Response`].

use prost_types::Any;

use super::{
    proto::{
        self, conversation_message::MessageTypes, conversation_tool_calls,
        conversation_tools::ToolTypes,
    },
    structs::from_json,
};
use crate::chat::{
    FinishReason, LazyJson, Message, Parameter, Request, Response, Role, Tool, ToolCall,
    ToolChoice, Usage,
};

/// The request as a component of another sidecar gets it.
pub(crate) fn request(request: &Request, component: &str) -> proto::ConversationRequestAlpha2 {
    let named = |(name, parameter): (&String, &Parameter)| (name.clone(), any(parameter));
    proto::ConversationRequestAlpha2 {
        name: component.to_owned(),
        context_id: request.context_id.clone(),
        inputs: inputs(request),
        parameters: request.parameters.iter().map(named).collect(),
        metadata: request.metadata.clone(),
        scrub_pii: request.scrub_output.then_some(true),
        temperature: request.temperature,
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: tool_choice(&request.tool_choice),
        response_format: request.response_format.as_ref().map(as_struct),
        prompt_cache_retention: request
            .prompt_cache_retention
            .and_then(|time| time.try_into().ok()),
        max_tokens: request.max_tokens,
    }
}

/// One input for each run of messages that are to be scrubbed, or are not.
fn inputs(request: &Request) -> Vec<proto::ConversationInputAlpha2> {
    let mut inputs: Vec<proto::ConversationInputAlpha2> = Vec::new();
    for (at, said) in request.messages.iter().enumerate() {
        let scrub_pii =
            request.scrub_inputs.iter().any(|range| range.contains(&at)).then_some(true);
        match inputs.last_mut().filter(|input| input.scrub_pii == scrub_pii) {
            Some(input) => input.messages.push(message(said)),
            None => inputs
                .push(proto::ConversationInputAlpha2 { messages: vec![message(said)], scrub_pii }),
        }
    }
    inputs
}

/// A message as Dapr has it.
pub(crate) fn message(source: &Message) -> proto::ConversationMessage {
    let name = source.name.clone();
    let text = |text: &String| proto::ConversationMessageContent { text: text.clone() };
    let content = source.parts.iter().map(text).collect();
    let message_types = match &source.role {
        Role::Developer => {
            MessageTypes::OfDeveloper(proto::ConversationMessageOfDeveloper { name, content })
        }
        Role::System => {
            MessageTypes::OfSystem(proto::ConversationMessageOfSystem { name, content })
        }
        Role::User => MessageTypes::OfUser(proto::ConversationMessageOfUser { name, content }),
        Role::Assistant { tool_calls } => {
            let tool_calls = tool_calls.iter().map(tool_call).collect();
            let said = proto::ConversationMessageOfAssistant { name, content, tool_calls };
            MessageTypes::OfAssistant(said)
        }
        // Some providers of daprd take one content only.
        Role::Tool { id, name } => MessageTypes::OfTool(proto::ConversationMessageOfTool {
            tool_id: id.clone(),
            name: name.clone(),
            content: vec![text(&source.text().into_owned())],
        }),
    };
    proto::ConversationMessage { message_types: Some(message_types) }
}

fn tool_call(call: &ToolCall) -> proto::ConversationToolCalls {
    let function = proto::ConversationToolCallsOfFunction {
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    };
    proto::ConversationToolCalls {
        id: call.id.clone(),
        tool_types: Some(conversation_tool_calls::ToolTypes::Function(function)),
    }
}

/// A tool as Dapr has it.
pub(crate) fn tool(source: &Tool) -> proto::ConversationTools {
    let function = proto::ConversationToolsFunction {
        name: source.name.clone(),
        description: source.description.clone(),
        parameters: source.parameters.as_ref().map(as_struct),
    };
    proto::ConversationTools { tool_types: Some(ToolTypes::Function(function)) }
}

fn as_struct(json: &LazyJson) -> prost_types::Struct {
    from_json(&json.read())
}

fn tool_choice(choice: &ToolChoice) -> Option<String> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none".to_owned()),
        ToolChoice::Required => Some("required".to_owned()),
        ToolChoice::Tool(name) => Some(name.clone()),
    }
}

fn any(parameter: &Parameter) -> Any {
    Any { type_url: parameter.type_url.clone(), value: parameter.value.clone() }
}

/// The first choice of all outputs.
pub(crate) fn response(outputs: Vec<proto::ConversationResultAlpha2>) -> Option<Response> {
    let output = outputs.into_iter().find(|output| !output.choices.is_empty())?;
    let choice = output.choices.into_iter().next()?;
    let message = choice.message.unwrap_or_default();
    Some(Response {
        content: message.content,
        tool_calls: message.tool_calls.into_iter().map(called).collect(),
        finish_reason: finish_reason(&choice.finish_reason),
        model: output.model,
        usage: output.usage.map(|usage| Usage {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            reasoning_tokens: usage
                .completion_tokens_details
                .map_or(0, |details| details.reasoning_tokens),
        }),
    })
}

/// A call without a function has no name, which no tool has.
fn called(call: proto::ConversationToolCalls) -> ToolCall {
    let function = match call.tool_types {
        Some(conversation_tool_calls::ToolTypes::Function(function)) => function,
        None => proto::ConversationToolCallsOfFunction::default(),
    };
    ToolCall { id: call.id, name: function.name, arguments: function.arguments }
}

/// Whatever else a model may say, it has stopped.
fn finish_reason(reason: &str) -> FinishReason {
    let known = FinishReason::ALL.into_iter().find(|known| known.as_str() == reason);
    known.unwrap_or_default()
}
