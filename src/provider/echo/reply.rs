//! What echo answers.

use super::{EchoSettings, ids, usage::usage};
use crate::chat::{FinishReason, Message, Request, Response, Role, ToolCall};

/// The answer to a request: text, or tool calls.
pub(super) fn reply(component: &str, settings: &EchoSettings, request: &Request) -> Response {
    let results = tool_results(&request.messages);
    let mut tool_calls = Vec::<ToolCall>::new();
    ids::number(component, &request.messages, &mut tool_calls);
    let content = if tool_calls.is_empty() { text(request, results) } else { String::new() };
    let finish_reason =
        if tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
    Response {
        usage: Some(usage(&request.messages, &content, &tool_calls)),
        content,
        tool_calls,
        finish_reason,
        model: Some(settings.model.clone()),
    }
}

/// The tool messages that end the history; later system and developer messages do not count.
fn tool_results(messages: &[Message]) -> &[Message] {
    let is_note = |message: &Message| matches!(message.role, Role::System | Role::Developer);
    let is_result = |message: &Message| matches!(message.role, Role::Tool { .. });
    let end = messages.iter().rposition(|message| !is_note(message)).map_or(0, |at| at + 1);
    let start =
        messages[..end].iter().rposition(|message| !is_result(message)).map_or(0, |at| at + 1);
    &messages[start..end]
}

fn text(request: &Request, results: &[Message]) -> String {
    if !results.is_empty() {
        return join(results);
    }
    let with_text = || request.messages.iter().rfind(|message| message.text_len() > 0);
    let said = request.last_user().or_else(with_text);
    said.map(|message| message.text().into_owned()).unwrap_or_default()
}

fn join(messages: &[Message]) -> String {
    messages.iter().map(Message::text).collect::<Vec<_>>().join("\n")
}
