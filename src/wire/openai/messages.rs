//! Decodes the messages of a history.

use std::collections::BTreeMap;

use super::{
    body::{self, Content},
    invalid,
};
use crate::{
    chat::{Message, Role, ToolCall},
    wire::error::Error,
};

/// The names of the called tools, by the ids of the calls.
type Called = BTreeMap<String, String>;

pub(super) fn decode(messages: Vec<body::Message>) -> Result<Vec<Message>, Error> {
    let mut called = Called::new();
    let decode = |(at, source)| message(at, source, &mut called);
    messages.into_iter().enumerate().map(decode).collect()
}

fn message(at: usize, source: body::Message, called: &mut Called) -> Result<Message, Error> {
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
    Ok(Message { role, name: source.name, parts: parts(at, source.content)? })
}

fn call(source: body::ToolCall, called: &mut Called) -> ToolCall {
    let body::ToolCall { id, function: body::CalledFunction { name, arguments } } = source;
    if let Some(id) = &id {
        called.insert(id.clone(), name.clone());
    }
    ToolCall { id, name, arguments }
}

fn parts(message: usize, content: Option<Content>) -> Result<Vec<String>, Error> {
    let parts = match content {
        None => return Ok(Vec::new()),
        Some(Content::Text(text)) => return Ok(vec![text]),
        Some(Content::Parts(parts)) => parts,
    };
    let text = |(at, part): (usize, body::Part)| {
        let path = || format!("messages[{message}].content[{at}]");
        if part.kind != "text" {
            let reason = format!("{:?} is not supported; expected \"text\"", part.kind);
            return Err(invalid(format!("{}.type", path()), reason));
        }
        part.text.ok_or_else(|| invalid(format!("{}.text", path()), "missing"))
    };
    parts.into_iter().enumerate().map(text).collect()
}
