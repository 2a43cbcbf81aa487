//! Chains as a whole: what is read, what is refused, and that the schema says the same.

mod documents;
mod pace;
mod properties;
mod schema;

use crate::chat::{Message, Request, Role, ToolCall};

/// A user message that holds a chain.
fn holding(chain: &str) -> Message {
    let text = format!("go {}{chain}{} please", super::tags::START, super::tags::END);
    Message::new(Role::User, text)
}

fn request(messages: Vec<Message>) -> Request {
    Request { messages, ..Request::default() }
}

fn said(text: &str) -> Message {
    Message::new(Role::Assistant { tool_calls: Vec::new() }, text)
}

fn called() -> Message {
    let call = ToolCall { id: None, name: "f".to_owned(), arguments: "{}".to_owned() };
    Message { role: Role::Assistant { tool_calls: vec![call] }, name: None, parts: Vec::new() }
}
