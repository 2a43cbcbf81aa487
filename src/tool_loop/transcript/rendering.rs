//! Writes turns into a history, and reads calls from answers.

use std::collections::BTreeMap;

use super::{
    Arguments, Detail, ExecutedCall, ExtractedCall, Outcome, ToolResult, Wording, call_message,
    correction, extract,
    label::CALL,
    name::{display_name, tool_name},
    outcome::not_found,
};
use crate::chat::{FinishReason, Message, Response, Role, ToolCall};

/// The form in which calls and results are sent to the model.
#[derive(Debug, Clone, Default)]
pub enum Rendering {
    /// Tool calls and tool messages.
    #[default]
    Native,
    /// Plain text, for models without tool support. A call is a line in an assistant message, and
    /// its result is a user message.
    Text(Wording),
}

/// A model turn that called tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Turn number, starting at 1. In the text rendering, turn 0 has no number.
    pub number: u32,
    /// Text of the answer, without the calls. May be empty.
    pub text: String,
    /// Calls, in order.
    pub calls: Vec<FinishedCall>,
}

/// A call and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedCall {
    /// The call.
    pub call: ToolCall,
    /// The outcome.
    pub outcome: Outcome,
}

impl Rendering {
    /// Returns the messages that a turn adds to the history.
    ///
    /// ```
    /// use mynah::chat::ToolCall;
    /// use mynah::tool_loop::transcript::{FinishedCall, Outcome, Rendering, ToolResult, Turn, Wording};
    ///
    /// let call = ToolCall { id: Some("1".into()), name: "now".into(), arguments: "{}".into() };
    /// let outcome = Outcome::Result(ToolResult::success("12:30"));
    /// let turn = Turn { number: 1, text: String::new(), calls: vec![FinishedCall { call, outcome }] };
    /// let texts = |rendering: Rendering| -> Vec<String> {
    ///     rendering.messages(&turn).iter().map(|message| message.text().into_owned()).collect()
    /// };
    ///
    /// assert_eq!(texts(Rendering::Native), ["", "12:30"]);
    /// assert_eq!(texts(Rendering::Text(Wording::default())), [
    ///     "AI ACTION (Turn 1): Executing Now",
    ///     "TOOL RESPONSE (Turn 1): SUCCESS: Now completed successfully. \
    ///      The requested operation has been finished as requested.\n\n\"12:30\"",
    /// ]);
    /// ```
    pub fn messages(&self, turn: &Turn) -> Vec<Message> {
        match self {
            Self::Native => native_messages(turn),
            Self::Text(wording) => text_messages(turn, wording),
        }
    }

    /// Reads an answer from the model. With the text rendering, converts lines that are calls to
    /// tool calls without ids.
    ///
    /// Text does not preserve the case of tool names. To restore the case, pass the names of the
    /// available tools as `tools`.
    ///
    /// ```
    /// use mynah::{chat::Response, tool_loop::transcript::{Rendering, Wording}};
    ///
    /// let content = "I will look.\n\
    ///     AI ACTION (Turn 1): Executing Get Weather with parameters: city: Oslo";
    /// let response = Response { content: content.to_owned(), ..Response::default() };
    /// let response = Rendering::Text(Wording::default()).read(response, ["get_weather"]);
    /// assert_eq!(response.content, "I will look.");
    /// assert_eq!(response.tool_calls[0].name, "get_weather");
    /// assert_eq!(response.tool_calls[0].arguments, r#"{"city":"Oslo"}"#);
    /// ```
    pub fn read<'a>(
        &self,
        mut response: Response,
        tools: impl IntoIterator<Item = &'a str>,
    ) -> Response {
        if matches!(self, Self::Native) || !response.content.contains(CALL) {
            return response;
        }
        let names = names_by_text(tools);
        let (mut calls, mut rest) = (Vec::new(), Vec::new());
        for line in response.content.lines() {
            match extract::parse(line.trim_start()) {
                Some(ExtractedCall { name, arguments, .. }) => {
                    let name = names.get(&name).map_or(name, |name| (*name).to_owned());
                    calls.push(ToolCall { id: None, name, arguments: arguments.to_string() });
                }
                None => rest.push(line),
            }
        }
        if !calls.is_empty() {
            response.content = rest.join("\n").trim().to_owned();
            response.tool_calls.extend(calls);
            response.finish_reason = FinishReason::ToolCalls;
        }
        response
    }
}

/// Maps each name, as it is read back from text, to the original name. If several names have the
/// same text, an exact match wins, or else the first name.
fn names_by_text<'a>(tools: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, &'a str> {
    let mut names = BTreeMap::new();
    for name in tools {
        let text = tool_name(&display_name(name));
        if text == name {
            names.insert(text, name);
        } else {
            names.entry(text).or_insert(name);
        }
    }
    names
}

fn native_messages(turn: &Turn) -> Vec<Message> {
    let parts = if turn.text.is_empty() { Vec::new() } else { vec![turn.text.clone()] };
    let tool_calls = turn.calls.iter().map(|finished| finished.call.clone()).collect();
    let calls = Message { role: Role::Assistant { tool_calls }, name: None, parts };
    let results = turn.calls.iter().map(|FinishedCall { call, outcome }| {
        let role = Role::Tool { id: call.id.clone(), name: call.name.clone() };
        Message::new(role, outcome.text(&call.name))
    });
    std::iter::once(calls).chain(results).collect()
}

fn text_messages(turn: &Turn, wording: &Wording) -> Vec<Message> {
    let mut messages = Vec::new();
    if !turn.text.is_empty() {
        let role = Role::Assistant { tool_calls: Vec::new() };
        messages.push(Message::new(role, &*turn.text));
    }
    for FinishedCall { call, outcome } in &turn.calls {
        let not_found = || ToolResult::failure(not_found(&call.name));
        let result = match outcome {
            Outcome::Result(result) => result,
            Outcome::NotFound => &not_found(),
            Outcome::Duplicate => {
                messages.push(correction(&call.name));
                continue;
            }
        };
        // Arguments that are not an object cannot be shown. In that case, the result contains the
        // error.
        let arguments: Arguments = call.arguments.parse().unwrap_or_default();
        let executed = ExecutedCall { name: &call.name, arguments: &arguments, result };
        messages.push(call_message(&call.name, &arguments, turn.number));
        messages.push(wording.message(&executed, Detail::WithData, turn.number));
    }
    messages
}
