use std::collections::BTreeMap;

use super::{
    Arguments, Detail, Executed, Extracted, Outcome, ToolResult, Wording, call_message, correction,
    extract::read,
    label::CALL,
    name::{display_name, tool_name},
    outcome::not_found,
};
use crate::chat::{FinishReason, Message, Response, Role, ToolCall};

/// How calls and results look to the model.
#[derive(Debug, Clone, Default)]
pub enum Rendering {
    /// As such.
    #[default]
    Native,
    /// As text alone, for models that know no tools: a call is a line of the assistant, its result
    /// a message of the user.
    Text(Wording),
}

/// A turn of the model that called tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Counts from 1. The text of turn 0 has no numbers.
    pub number: u32,
    /// What the model said beside its calls; may be empty.
    pub text: String,
    /// Its calls, in order.
    pub calls: Vec<FinishedCall>,
}

/// A call and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedCall {
    /// The call.
    pub call: ToolCall,
    /// What came of it.
    pub outcome: Outcome,
}

impl Rendering {
    /// The messages that a turn adds to the history.
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
            Self::Native => native(turn),
            Self::Text(wording) => text(turn, wording),
        }
    }

    /// Reads an answer of the model: in text, lines that are calls become calls, without ids.
    ///
    /// Text loses the capitals of a name; those of the names of `tools` are put back.
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
        let names = names(tools);
        let (mut calls, mut rest) = (Vec::new(), Vec::new());
        for line in response.content.lines() {
            match read(line.trim_start()) {
                Some(Extracted { name, arguments, .. }) => {
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

/// The names of tools by what text makes of them. Where two are alike, the very name wins, else
/// the first.
fn names<'a>(tools: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, &'a str> {
    let mut names = BTreeMap::new();
    for name in tools {
        let read = tool_name(&display_name(name));
        if read == name {
            names.insert(read, name);
        } else {
            names.entry(read).or_insert(name);
        }
    }
    names
}

fn native(turn: &Turn) -> Vec<Message> {
    let parts = if turn.text.is_empty() { Vec::new() } else { vec![turn.text.clone()] };
    let tool_calls = turn.calls.iter().map(|finished| finished.call.clone()).collect();
    let calls = Message { role: Role::Assistant { tool_calls }, name: None, parts };
    let results = turn.calls.iter().map(|FinishedCall { call, outcome }| {
        let role = Role::Tool { id: call.id.clone(), name: call.name.clone() };
        Message::new(role, outcome.text(&call.name))
    });
    std::iter::once(calls).chain(results).collect()
}

fn text(turn: &Turn, wording: &Wording) -> Vec<Message> {
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
        // What is no object cannot be shown as arguments; the result says what is wrong with it.
        let arguments: Arguments = call.arguments.parse().unwrap_or_default();
        let executed = Executed { name: &call.name, arguments: &arguments, result };
        messages.push(call_message(&call.name, &arguments, turn.number));
        messages.push(wording.message(&executed, Detail::WithData, turn.number));
    }
    messages
}
