//! The messages of a request, as daprd writes them.

use std::{borrow::Cow, mem};

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
    text: Cow<'a, str>,
    r#type: &'static str,
}

#[derive(Serialize)]
struct CallBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
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

/// Encodes the messages of a history for a model that knows no system messages: the first message of the
/// user begins with their texts.
///
/// # Errors
///
/// Fails as [`encode`] does.
pub(super) fn encode_without_system(
    messages: &[Message],
) -> Result<Vec<MessageBody<'_>>, ProviderError> {
    let is_system = |message: &&Message| message.role == Role::System;
    let texts: Vec<_> = messages.iter().filter(is_system).flat_map(|it| &it.parts).collect();
    let others = messages.iter().filter(|message| !is_system(message));
    let mut encoded = others.map(message).collect::<Result<Vec<_>, _>>()?;
    if texts.is_empty() {
        return Ok(encoded);
    }
    let instructions = texts.into_iter().map(|text| format!("{text}\n\n")).collect();
    let instructions = PartBody { text: Cow::Owned(instructions), r#type: "text" };
    match encoded.iter_mut().find(|message| message.role == "user") {
        Some(first) => first.content.prepend(instructions),
        None => encoded.insert(0, MessageBody::of_user(Content::Parts(vec![instructions]))),
    }
    Ok(encoded)
}

impl<'a> MessageBody<'a> {
    fn of_user(content: Content<'a>) -> Self {
        Self { role: "user", content, tool_calls: Vec::new(), tool_call_id: None }
    }
}

impl<'a> Content<'a> {
    fn prepend(&mut self, part: PartBody<'a>) {
        let parts = match mem::replace(self, Self::Parts(Vec::new())) {
            Self::Text(text) if text.is_empty() => Vec::new(),
            Self::Text(text) => vec![PartBody { text, r#type: "text" }],
            Self::Parts(parts) => parts,
        };
        *self = Self::Parts([part].into_iter().chain(parts).collect());
    }
}

fn message(message: &Message) -> Result<MessageBody<'_>, ProviderError> {
    if !message.attachments.is_empty() {
        let text = "images, recordings and files are not passed on to a model; send texts only";
        return Err(ProviderError::new(ErrorKind::InvalidArgument, text));
    }
    let content = match message.parts.as_slice() {
        // As daprd.
        parts @ [_, _, ..] if matches!(message.role, Role::Tool { .. }) => {
            let text = format!("expected exactly one part for role tool, got {}", parts.len());
            return Err(ProviderError::internal(text));
        }
        [] => Content::Text("".into()),
        [text] => Content::Text(text.into()),
        parts => Content::Parts(
            parts.iter().map(|text| PartBody { text: text.into(), r#type: "text" }).collect(),
        ),
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
    CallBody { id: call.id.as_deref().filter(|id| !id.is_empty()), r#type: "function", function }
}
