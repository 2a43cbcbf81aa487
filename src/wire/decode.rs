//! Decodes Dapr's requests to [`Request`]s, with daprd's checks in daprd's order.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    proto::{
        self, conversation_message::MessageTypes, conversation_tool_calls,
        conversation_tools::ToolTypes,
    },
    structs::{decode_parameters, lazy_json},
};
use crate::chat::{Error, InvalidParams, Message, Request, Role, Tool, ToolCall, ToolChoice};

/// Decodes an Alpha2 request for a component that exists and owns the tools with these names.
///
/// # Errors
///
/// Returns [`Error::MissingInputs`] or [`Error::InvalidParams`] if daprd would reject the request.
pub fn alpha2(
    request: proto::ConversationRequestAlpha2,
    own_tools: &BTreeSet<String>,
) -> Result<Request, Error> {
    let component = request.name;
    if request.inputs.is_empty() {
        return Err(Error::MissingInputs { component });
    }
    let invalid = |reason| Error::InvalidParams { component: component.clone(), reason };
    let has_tools = !request.tools.is_empty() || !own_tools.is_empty();
    let (messages, scrub_inputs) = messages(request.inputs).map_err(invalid)?;
    let tools: Vec<Tool> = request.tools.into_iter().filter_map(tool).collect();
    let offers =
        |name: &str| own_tools.contains(name) || tools.iter().any(|tool| tool.name == name);
    let tool_choice = tool_choice(request.tool_choice, has_tools, offers).map_err(invalid)?;
    Ok(Request {
        context_id: request.context_id,
        // Dapr's API has components instead.
        model: None,
        messages,
        tools,
        withheld_tools: Vec::new(),
        tool_choice,
        // Dapr's API does not have this parameter of OpenAI's.
        single_tool_call: false,
        response_format: request.response_format.map(lazy_json),
        temperature: request.temperature,
        max_tokens: request.max_tokens,
        prompt_cache_retention: request.prompt_cache_retention.and_then(|it| it.try_into().ok()),
        parameters: decode_parameters(request.parameters),
        metadata: request.metadata,
        scrub_inputs,
        scrub_output: request.scrub_pii.unwrap_or_default(),
    })
}

/// Joins the messages of all inputs. Also returns the ranges of messages to scrub.
fn messages(
    inputs: Vec<proto::ConversationInputAlpha2>,
) -> Result<(Vec<Message>, Vec<Range<usize>>), InvalidParams> {
    let (mut messages, mut scrub) = (Vec::new(), Vec::new());
    for input in inputs {
        let (first, is_scrubbed) = (messages.len(), input.scrub_pii());
        messages.reserve(input.messages.len());
        for source in input.messages {
            messages.push(message(source)?);
        }
        if is_scrubbed {
            scrub.push(first..messages.len());
        }
    }
    Ok((messages, scrub))
}

fn message(source: proto::ConversationMessage) -> Result<Message, InvalidParams> {
    let (role, name, content) =
        match source.message_types.ok_or(InvalidParams::MessageWithoutType)? {
            MessageTypes::OfDeveloper(message) => (Role::Developer, message.name, message.content),
            MessageTypes::OfSystem(message) => (Role::System, message.name, message.content),
            MessageTypes::OfUser(message) => (Role::User, message.name, message.content),
            MessageTypes::OfAssistant(message) => {
                let calls: Result<_, _> = message.tool_calls.into_iter().map(tool_call).collect();
                (Role::Assistant { tool_calls: calls? }, message.name, message.content)
            }
            MessageTypes::OfTool(message) => {
                (Role::Tool { id: message.tool_id, name: message.name }, None, message.content)
            }
        };
    Ok(Message {
        role,
        name,
        parts: content.into_iter().map(|part| part.text).collect(),
        attachments: Vec::new(),
    })
}

fn tool_call(source: proto::ConversationToolCalls) -> Result<ToolCall, InvalidParams> {
    let Some(conversation_tool_calls::ToolTypes::Function(function)) = source.tool_types else {
        return Err(InvalidParams::ToolCallWithoutFunction);
    };
    Ok(ToolCall { id: source.id, name: function.name, arguments: function.arguments })
}

/// Decodes a tool. Drops a tool without a function, as daprd does.
fn tool(source: proto::ConversationTools) -> Option<Tool> {
    let ToolTypes::Function(function) = source.tool_types?;
    Some(Tool {
        name: function.name,
        description: function.description,
        parameters: function.parameters.map(lazy_json),
    })
}

/// Decodes and checks the tool choice. `has_tools` also counts the tools that were dropped.
fn tool_choice(
    choice: Option<String>,
    has_tools: bool,
    offers: impl Fn(&str) -> bool,
) -> Result<ToolChoice, InvalidParams> {
    match choice.unwrap_or_default() {
        choice if choice.is_empty() || choice == "auto" => Ok(ToolChoice::Auto),
        choice if choice == "none" => Ok(ToolChoice::None),
        choice if choice == "required" && has_tools => Ok(ToolChoice::Required),
        choice if choice == "required" => Err(InvalidParams::ToolRequiredWithoutTools),
        // daprd accepts any name if the request has no tools.
        name if !has_tools || offers(&name) => Ok(ToolChoice::Tool(name)),
        _ => Err(InvalidParams::ToolChoiceUnknown),
    }
}

/// Decodes an Alpha1 request for a component that exists.
///
/// # Errors
///
/// Returns [`Error::Metadata`] or [`Error::MissingInputs`] if daprd would reject the request.
pub fn alpha1(request: proto::ConversationRequest) -> Result<Request, Error> {
    check_metadata(&request.metadata)?;
    if request.inputs.is_empty() {
        return Err(Error::MissingInputs { component: request.name });
    }
    let scrubbed = request.inputs.iter().enumerate().filter(|(_, input)| input.scrub_pii());
    Ok(Request {
        scrub_inputs: scrubbed.map(|(index, _)| index..index + 1).collect(),
        scrub_output: request.scrub_pii(),
        context_id: request.context_id,
        messages: request.inputs.into_iter().map(alpha1_message).collect(),
        temperature: request.temperature,
        parameters: decode_parameters(request.parameters),
        metadata: request.metadata,
        ..Request::default()
    })
}

fn alpha1_message(input: proto::ConversationInput) -> Message {
    let role = match input.role.as_deref() {
        Some("system") => Role::System,
        Some("assistant" | "ai") => Role::Assistant { tool_calls: Vec::new() },
        Some("tool" | "function") => Role::Tool { id: None, name: String::new() },
        // "user", "human", "generic" and unknown roles.
        _ => Role::User,
    };
    Message { role, name: None, parts: vec![input.content], attachments: Vec::new() }
}

/// Reports the errors that daprd's metadata decoder would report. daprd decodes Alpha1 metadata
/// into the fields of the request, ignoring case, and then discards the result.
fn check_metadata(metadata: &BTreeMap<String, String>) -> Result<(), Error> {
    let mut names = BTreeSet::new();
    for (name, value) in metadata {
        let name = name.to_lowercase();
        if name == "temperature" && !value.is_empty() && value.parse::<f64>().is_err() {
            return Err(Error::Metadata(format!(
                "1 error(s) decoding:\n\n* cannot parse 'Temperature' as float: \
                 strconv.ParseFloat: parsing {value:?}: invalid syntax"
            )));
        }
        if !names.insert(name.clone()) {
            return Err(Error::Metadata(format!(
                "failed to resolve aliases: key {name} is duplicate in the metadata"
            )));
        }
    }
    Ok(())
}
