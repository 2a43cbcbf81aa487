//! Echo's reply in `mynah` mode.

use std::borrow::Cow;

use mynah_core::{
    chat::{FinishReason, LazyJson, Message, Request, Response, ToolCall},
    provider::{Unseen, ids, usage},
};

use super::{
    arguments::{Context, ReplyBudget},
    effort::{Effort, Unfinished},
    response_format,
    settings::{ArgumentStyle, EchoSettings, Optional},
    tool_calls::{MAX_BRIEF_SCHEMAS, SelectedCall, tool_calls},
};

/// JSON pointers to the places where a response format may contain its name.
const FORMAT_NAME_POINTERS: [&str; 5] =
    ["/json_schema/schema/title", "/schema/title", "/title", "/json_schema/name", "/name"];

/// Replies to a request with text or tool calls.
pub(super) fn reply(
    component: &str,
    settings: &EchoSettings,
    request: &Request,
    unseen: Option<&Unseen>,
    effort: &Effort,
) -> Result<Response, Unfinished> {
    let results = request.tool_results();
    // Once there are tool results, answer with text, which ends the tool loop.
    let selected = match results {
        [] => tool_calls(settings, request, unseen, effort, false)?,
        _ => Vec::new(),
    };
    let call = |SelectedCall { selection, arguments }| ToolCall {
        id: None,
        name: request.tools[selection.tool].name.clone(),
        arguments: arguments.json,
    };
    let mut tool_calls: Vec<_> = selected.into_iter().map(call).collect();
    ids::assign(component, &request.messages, &mut tool_calls);
    let (content, finish_reason) = match tool_calls.as_slice() {
        [] => {
            let mut content = content(settings, request, results, effort)?;
            let is_cut = usage::limit(&mut content, request);
            (content, if is_cut { FinishReason::Length } else { FinishReason::Stop })
        }
        _ => (String::new(), FinishReason::ToolCalls),
    };
    Ok(Response {
        usage: Some(usage::estimate(&request.messages, &content, &tool_calls)),
        content,
        tool_calls,
        finish_reason,
        model: Some(settings.model.clone()),
        ..Response::default()
    })
}

fn content(
    settings: &EchoSettings,
    request: &Request,
    results: &[Message],
    effort: &Effort,
) -> Result<String, Unfinished> {
    let texts: Vec<Cow<'_, str>> = match results {
        [] => echoed_message(request).into_iter().map(Message::text).collect(),
        results => results.iter().map(Message::text).collect(),
    };
    let structured = match &request.response_format {
        Some(format) => structured(settings, request, format, &texts, effort)?,
        None => None,
    };
    Ok(structured.unwrap_or_else(|| texts.join("\n")))
}

/// Returns the last user message. If there is none, returns the last message that has text.
fn echoed_message(request: &Request) -> Option<&Message> {
    let last_text = || request.messages.iter().rfind(|message| message.text_len() > 0);
    request.last_user().or_else(last_text)
}

/// Returns the first of `texts` that satisfies the response format. If there is none, generates a
/// value. Returns `None` if the format asks for plain text.
fn structured(
    settings: &EchoSettings,
    request: &Request,
    format: &LazyJson,
    texts: &[Cow<'_, str>],
    effort: &Effort,
) -> Result<Option<String>, Unfinished> {
    effort.allow(format.size() > MAX_BRIEF_SCHEMAS)?;
    let format = format.read();
    let question = request.last_user().map(Message::text).unwrap_or_default();
    let name = FORMAT_NAME_POINTERS.iter().find_map(|pointer| format.pointer(pointer)?.as_str());
    let context = Context {
        subject: name.unwrap_or_default(),
        mention: &question,
        question: &question,
        literal: settings.arguments == ArgumentStyle::Literal,
        // An answer is whole.
        optional: Optional::Fill,
        ..Context::default()
    };
    let candidates = texts.iter().map(AsRef::as_ref);
    let mut budget = ReplyBudget::new(effort);
    let answer = response_format::answer(&format, candidates, &context, &mut budget)?;
    budget.check()?;
    let violation = answer.as_ref().and_then(|answer| answer.possible_violation.as_ref());
    if let Some(violation) = violation {
        tracing::warn!("the answer may violate response_format: {violation}");
    }
    Ok(answer.map(|answer| answer.json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mynah_core::chat::Role;

    fn tool(text: &str) -> Message {
        Message::new(Role::Tool { id: None, name: "f".into() }, text)
    }

    fn text(messages: Vec<Message>) -> String {
        let request = Request { messages, ..Request::default() };
        let reply = reply("echo", &EchoSettings::default(), &request, None, &Effort::Brief);
        reply.unwrap().content
    }

    #[test]
    fn echoes_all_parts_of_the_last_user_message() {
        let parts = vec!["one".into(), "two".into()];
        let user = Message { role: Role::User, name: None, parts, attachments: Vec::new() };
        let assistant = Message::new(Role::Assistant { tool_calls: vec![] }, "no");
        assert_eq!(text(vec![Message::new(Role::User, "first"), user, assistant]), "one\ntwo");
    }

    #[test]
    fn echoes_the_last_text_if_there_is_no_user_message() {
        assert_eq!(
            text(vec![Message::new(Role::System, "a"), Message::new(Role::System, "")]),
            "a"
        );
        assert_eq!(text(vec![]), "");
    }

    #[test]
    fn echoes_trailing_tool_results() {
        let user = Message::new(Role::User, "f");
        let note = Message::new(Role::Developer, "be brief");
        assert_eq!(text(vec![user.clone(), tool("a"), tool("b"), note]), "a\nb");
        assert_eq!(text(vec![tool("a"), user]), "f");
    }
}
