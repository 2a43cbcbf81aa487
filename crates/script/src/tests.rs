//! Tests of the parsing, validation and timing of chains.

mod documents;
mod pacing;
mod paths;
mod properties;
mod schema;

use mynah_core::chat::{Message, Request, Role, ToolCall};

/// Returns a user message that contains a chain.
fn chain_message(chain: &str) -> Message {
    let text = format!("go {}{chain}{} please", super::tags::START, super::tags::END);
    Message::new(Role::User, text)
}

fn request(messages: Vec<Message>) -> Request {
    Request { messages, ..Request::default() }
}

fn assistant_text(text: &str) -> Message {
    Message::new(Role::Assistant { tool_calls: Vec::new() }, text)
}

fn assistant_call() -> Message {
    let call = ToolCall { id: None, name: "f".to_owned(), arguments: "{}".to_owned() };
    Message {
        role: Role::Assistant { tool_calls: vec![call] },
        name: None,
        parts: Vec::new(),
        attachments: Vec::new(),
    }
}
