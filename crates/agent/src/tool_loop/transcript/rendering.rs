//! Writes turns into a history, and reads calls from answers.

use mynah_core::chat::{FinishReason, Message, Response, Role, ToolCall};

use super::{
    CallReader, ExecutedCall, ExtractedCall, ToolResult, Wording, call::call_line, correction,
    label::CALL,
};
use crate::tool_loop::{CallOutcome, CallRecord};

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
pub struct ToolTurn {
    /// Turn number, starting at 1. In the text rendering, turn 0 has no number.
    pub number: u32,
    /// Text of the answer, without the calls. May be empty.
    pub text: String,
    /// Calls, in order.
    pub calls: Vec<CallRecord>,
}

impl Rendering {
    /// Returns the messages that a turn adds to the history.
    ///
    /// ```
    /// use mynah_core::chat::ToolCall;
    /// use mynah_agent::tool_loop::transcript::{Rendering, ToolTurn, Wording};
    /// use mynah_agent::tool_loop::{CallOutcome, CallRecord};
    ///
    /// let call = ToolCall { id: Some("1".into()), name: "now".into(), arguments: "{}".into() };
    /// let calls = vec![CallRecord::new(call, CallOutcome::Succeeded, "12:30")];
    /// let turn = ToolTurn { number: 1, text: String::new(), calls };
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
    pub fn messages(&self, turn: &ToolTurn) -> Vec<Message> {
        match self {
            Self::Native => native_messages(turn),
            Self::Text(wording) => text_messages(turn, wording),
        }
    }

    /// Reads an answer from the model. With the text rendering, converts lines that are calls to
    /// tool calls without ids. `reader` knows the available tools.
    ///
    /// ```
    /// use mynah_agent::tool_loop::transcript::{CallReader, Rendering, Wording};
    /// use mynah_core::chat::Response;
    ///
    /// let content = "I will look.\n\
    ///     AI ACTION (Turn 1): Executing Get Weather with parameters: city: Oslo";
    /// let response = Response { content: content.to_owned(), ..Response::default() };
    /// let response = Rendering::Text(Wording::default()).read(response, &CallReader::default());
    /// assert_eq!(response.content, "I will look.");
    /// assert_eq!(response.tool_calls[0].name, "get_weather");
    /// assert_eq!(response.tool_calls[0].arguments, r#"{"city":"Oslo"}"#);
    /// ```
    pub fn read(&self, mut response: Response, reader: &CallReader) -> Response {
        if matches!(self, Self::Native) || !response.content.contains(CALL) {
            return response;
        }
        let (mut calls, mut rest) = (Vec::new(), Vec::new());
        for line in response.content.lines() {
            match reader.read_line(line.trim_start()) {
                Some(ExtractedCall { name, arguments, .. }) => {
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

fn native_messages(turn: &ToolTurn) -> Vec<Message> {
    let parts = if turn.text.is_empty() { Vec::new() } else { vec![turn.text.clone()] };
    let tool_calls = turn.calls.iter().map(CallRecord::call).collect();
    let role = Role::Assistant { tool_calls };
    let calls = Message { role, name: None, parts, attachments: Vec::new() };
    let finished = turn.calls.iter().filter(|record| record.outcome != CallOutcome::Pending);
    let results = finished.map(|record| {
        let ToolCall { id, name, .. } = record.call();
        Message::new(Role::Tool { id, name }, record.result.text())
    });
    std::iter::once(calls).chain(results).collect()
}

/// Returns one assistant message with the text and a line for each call, and a user message for
/// each result.
fn text_messages(turn: &ToolTurn, wording: &Wording) -> Vec<Message> {
    // Arguments that are not an object cannot be shown. In that case, the result contains the error.
    let arguments = |record: &CallRecord| record.arguments.parse().unwrap_or_default();
    let lines = turn.calls.iter().map(|call| call_line(&call.name, &arguments(call), turn.number));
    let lines = lines.collect::<Vec<_>>().join("\n");
    let texts = [turn.text.as_str(), &lines].into_iter().filter(|text| !text.is_empty());
    let text = texts.collect::<Vec<_>>().join("\n\n");
    let message = Message::new(Role::Assistant { tool_calls: Vec::new() }, text);
    let results = turn.calls.iter().filter_map(|call| {
        let result = &match &call.outcome {
            CallOutcome::Pending => return None,
            CallOutcome::Duplicate => return Some(correction(&call.name)),
            CallOutcome::Failed(failure) => ToolResult::failure(failure.to_string()),
            CallOutcome::Succeeded | CallOutcome::Cached | CallOutcome::Replaced => {
                ToolResult::success(call.result.clone())
            }
        };
        let executed = ExecutedCall { name: &call.name, arguments: &arguments(call), result };
        Some(wording.message(&executed, turn.number))
    });
    std::iter::once(message).chain(results).collect()
}
