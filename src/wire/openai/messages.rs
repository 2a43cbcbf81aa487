//! Decodes the messages of a history.

use std::collections::BTreeMap;

use super::{
    body, invalid,
    parts::{self, Large},
};
use crate::{
    chat::{Message, Role, ToolCall},
    wire::error::Error,
};

/// The names of the called tools, by the ids of the calls.
type Called = BTreeMap<String, String>;

/// Decodes the messages, and returns the attachments that are large.
pub(super) fn decode<'a>(
    messages: Vec<body::Message<'a>>,
) -> Result<(Vec<Message>, Large<'a>), Error> {
    let (mut called, mut large) = (Called::new(), Large::new());
    let decode = |(at, source)| message(at, source, &mut called, &mut large);
    let messages = messages.into_iter().enumerate().map(decode).collect::<Result<_, Error>>()?;
    Ok((messages, large))
}

fn message<'a>(
    at: usize,
    source: body::Message<'a>,
    called: &mut Called,
    large: &mut Large<'a>,
) -> Result<Message, Error> {
    let role = match source.role {
        body::Role::Developer => Role::Developer,
        body::Role::System => Role::System,
        body::Role::User => Role::User,
        body::Role::Assistant => {
            let calls = source.tool_calls.unwrap_or_default();
            Role::Assistant { tool_calls: calls.into_iter().map(|it| call(it, called)).collect() }
        }
        body::Role::Tool => {
            let id = source.tool_call_id;
            let missing = || invalid(format!("messages[{at}].tool_call_id"), "missing");
            let id = id.ok_or_else(missing)?;
            // A result names its tool only by the id of the call.
            let name = called.get(&id).cloned().unwrap_or_default();
            Role::Tool { id: Some(id), name }
        }
    };
    let mut message =
        Message { role, name: source.name, parts: Vec::new(), attachments: Vec::new() };
    let path = || format!("messages[{at}].content");
    parts::decode(path, source.content, parts::read, &mut message, large)?;
    Ok(message)
}

fn call(source: body::ToolCall, called: &mut Called) -> ToolCall {
    let body::ToolCall { id, function: body::CalledFunction { name, arguments } } = source;
    if let Some(id) = &id {
        called.insert(id.clone(), name.clone());
    }
    ToolCall { id, name, arguments }
}
