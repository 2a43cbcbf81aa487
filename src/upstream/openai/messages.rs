//! The messages of a request, as daprd writes them.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    chat::{ErrorKind, Message, Role, ToolCall},
    provider::ProviderError,
};

/// A message.
#[derive(Serialize)]
pub(super) struct MessageBody<'a> {
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

/// Encodes the messages of a history.
///
/// # Errors
///
/// Fails if a message has something that cannot be passed on, such as an image.
pub(super) fn encode(messages: &[Message]) -> Result<Vec<MessageBody<'_>>, ProviderError> {
    messages.iter().map(message).collect()
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
