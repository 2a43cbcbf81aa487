//! What echo answers.

use std::borrow::Cow;

use super::{
    ArgumentStyle, EchoSettings,
    arguments::{Budget, Context},
    calls::calls,
    response_format,
};
use crate::{
    chat::{FinishReason, LazyJson, Message, Request, Response},
    provider::{ids, usage::usage},
};

/// Where a format says what it is called, whatever it is wrapped in.
const FORMAT_NAMES: [&str; 5] =
    ["/json_schema/schema/title", "/schema/title", "/title", "/json_schema/name", "/name"];

/// The answer to a request: text, or tool calls.
pub(super) fn reply(component: &str, settings: &EchoSettings, request: &Request) -> Response {
    let results = request.tool_results();
    // What a tool returned ends the loop.
    let mut tool_calls = if results.is_empty() { calls(settings, request) } else { Vec::new() };
    ids::number(component, &request.messages, &mut tool_calls);
    let (content, finish_reason) = match tool_calls.as_slice() {
        [] => (content(settings, request, results), FinishReason::Stop),
        _ => (String::new(), FinishReason::ToolCalls),
    };
    Response {
        usage: Some(usage(&request.messages, &content, &tool_calls)),
        content,
        tool_calls,
        finish_reason,
        model: Some(settings.model.clone()),
    }
}

fn content(settings: &EchoSettings, request: &Request, results: &[Message]) -> String {
    let texts: Vec<Cow<'_, str>> = match results {
        [] => said(request).into_iter().map(Message::text).collect(),
        results => results.iter().map(Message::text).collect(),
    };
    let format = request.response_format.as_ref();
    format
        .and_then(|format| formatted(settings, request, format, &texts))
        .unwrap_or_else(|| texts.join("\n"))
}

/// The last user message; without one, the last message that has text.
fn said(request: &Request) -> Option<&Message> {
    let last_text = || request.messages.iter().rfind(|message| message.text_len() > 0);
    request.last_user().or_else(last_text)
}

/// The first text that follows the format, or a generated one.
fn formatted(
    settings: &EchoSettings,
    request: &Request,
    format: &LazyJson,
    texts: &[Cow<'_, str>],
) -> Option<String> {
    let format = format.read();
    let question = request.last_user().map(Message::text).unwrap_or_default();
    let named = FORMAT_NAMES.iter().find_map(|place| format.pointer(place)?.as_str());
    let context = Context {
        subject: named.unwrap_or_default(),
        mention: &question,
        question: &question,
        literal: settings.arguments == ArgumentStyle::Literal,
    };
    let candidates = texts.iter().map(AsRef::as_ref);
    let made = response_format::reply(&format, candidates, &context, &mut Budget::default())?;
    if let Some(shortfall) = made.shortfall {
        tracing::warn!("the answer may break the response_format: {shortfall}");
    }
    Some(made.json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Role;

    fn tool(text: &str) -> Message {
        Message::new(Role::Tool { id: None, name: "f".into() }, text)
    }

    fn text(messages: Vec<Message>) -> String {
        let request = Request { messages, ..Request::default() };
        reply("echo", &EchoSettings::default(), &request).content
    }

    #[test]
    fn the_last_user_message_comes_back_with_its_parts() {
        let parts = vec!["one".into(), "two".into()];
        let user = Message { role: Role::User, name: None, parts };
        let assistant = Message::new(Role::Assistant { tool_calls: vec![] }, "no");
        assert_eq!(text(vec![Message::new(Role::User, "first"), user, assistant]), "one\ntwo");
    }

    #[test]
    fn without_a_user_message_the_last_text_comes_back() {
        assert_eq!(
            text(vec![Message::new(Role::System, "a"), Message::new(Role::System, "")]),
            "a"
        );
        assert_eq!(text(vec![]), "");
    }

    #[test]
    fn results_at_the_end_come_back_joined() {
        let user = Message::new(Role::User, "f");
        let note = Message::new(Role::Developer, "be brief");
        assert_eq!(text(vec![user.clone(), tool("a"), tool("b"), note]), "a\nb");
        assert_eq!(text(vec![tool("a"), user]), "f");
    }
}
