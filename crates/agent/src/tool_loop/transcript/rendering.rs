//! Writes turns and results into a history, and reads calls from answers.

use std::{collections::BTreeSet, fmt, sync::Arc};

use mynah_core::chat::{FinishReason, Message, Response, Role, ToolCall};
use serde_json::Value;

use super::{
    Arguments, CallReader, ExtractedCall,
    call::{CALL, FAILED, FAILED_BECAUSE, RESULT, call_line, display_name, label},
    correction,
};
use crate::tool_loop::{CallOutcome, CallRecord, ToolOutput};

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

/// Writes the results of calls as text, for models without tool support.
///
/// ```
/// use mynah_agent::tool_loop::transcript::{Arguments, ExecutedCall, ToolResult, Wording};
/// use serde_json::json;
///
/// let result = ToolResult::success(json!({"url": "https://example.com/7"}));
/// let post = ExecutedCall { name: "post", arguments: &Arguments::default(), result: &result };
/// let text = "SUCCESS: Post completed successfully. \
///             The requested operation has been finished as requested.";
/// assert_eq!(Wording::default().text(&post), text);
///
/// let wording = Wording::customized(|message, executed| match &executed.result.data()["url"] {
///     serde_json::Value::String(url) => format!("SUCCESS: Post published at {url}"),
///     _ => message.to_owned(),
/// });
/// assert_eq!(wording.text(&post), "SUCCESS: Post published at https://example.com/7");
/// ```
#[derive(Clone, Default)]
pub struct Wording {
    customize: Vec<Arc<Customize>>,
    text_only: BTreeSet<String>,
}

type Customize = dyn Fn(&str, &ExecutedCall<'_>) -> String + Send + Sync;

/// The result that a tool returned.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolResult {
    /// The tool succeeded.
    Success {
        /// Data that the tool returned.
        data: ToolOutput,
    },
    /// The tool failed.
    Failure {
        /// Error message.
        error: String,
        /// Data that the tool returned despite the failure.
        data: ToolOutput,
    },
}

impl ToolResult {
    /// Creates a success with `data`.
    pub fn success(data: impl Into<ToolOutput>) -> Self {
        Self::Success { data: data.into() }
    }

    /// Creates a failure without data.
    pub fn failure(error: impl Into<String>) -> Self {
        Self::Failure { error: error.into(), data: Value::Null.into() }
    }

    /// Returns the data of a success or a failure.
    pub fn data(&self) -> Value {
        let (Self::Success { data } | Self::Failure { data, .. }) = self;
        data.value()
    }
}

/// A call that was executed, with its result.
#[derive(Debug, Clone, Copy)]
pub struct ExecutedCall<'a> {
    /// Name of the tool.
    pub name: &'a str,
    /// Arguments of the call.
    pub arguments: &'a Arguments,
    /// Result of the call.
    pub result: &'a ToolResult,
}

impl Wording {
    /// Creates a wording with a hook; see [`customize`](Self::customize).
    pub fn customized(
        customize: impl Fn(&str, &ExecutedCall<'_>) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::default().customize(customize)
    }

    /// Adds a hook. It is called with the text of each success and with the call, and its text is
    /// used instead. Each hook receives the text of the hook before it. Failures keep the default
    /// text.
    #[must_use]
    pub fn customize(
        mut self,
        customize: impl Fn(&str, &ExecutedCall<'_>) -> String + Send + Sync + 'static,
    ) -> Self {
        self.customize.push(Arc::new(customize));
        self
    }

    /// Leaves the data out of the messages with results of these tools, which are called for their
    /// side effects.
    #[must_use]
    pub fn text_only(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.text_only.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Returns the text that reports the success or failure of a call.
    pub fn text(&self, executed: &ExecutedCall<'_>) -> String {
        let name = executed.name;
        if let ToolResult::Failure { error, .. } = executed.result {
            let error = if error.is_empty() { "Unknown error occurred" } else { error };
            return format!("{FAILED}{name}{FAILED_BECAUSE}{error}");
        }
        let display = display_name(name);
        let text = format!(
            "SUCCESS: {display} completed successfully. The requested operation has been finished as requested."
        );
        self.customize.iter().fold(text, |text, customize| customize(&text, executed))
    }

    /// Returns a result as a user message: `TOOL RESPONSE (Turn 1): SUCCESS: …`. For turn 0, the
    /// message has no label. The data follows as JSON after a blank line, unless it is empty or the
    /// tool is [text only](Self::text_only).
    pub fn message(&self, executed: &ExecutedCall<'_>, turn: u32) -> Message {
        let label = if turn == 0 { String::new() } else { label(RESULT, turn) };
        let mut text = label + &self.text(executed);
        let (ToolResult::Success { data } | ToolResult::Failure { data, .. }) = executed.result;
        if let Some(data) = data.data().filter(|_| !self.text_only.contains(executed.name)) {
            text += &format!("\n\n{data}");
        }
        Message::user(text)
    }
}

impl fmt::Debug for Wording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wording")
            .field("hooks", &self.customize.len())
            .field("text_only", &self.text_only)
            .finish()
    }
}

/// Returns the text of a failure, with advice for the model.
///
/// ```
/// use mynah_agent::tool_loop::transcript::failure_text;
/// let text = "TOOL FAILED: Google Search execution failed - quota exceeded. \
///             Please review the error and adjust your approach if needed.";
/// assert_eq!(failure_text("google_search", "quota exceeded"), text);
/// ```
pub fn failure_text(name: &str, error: &str) -> String {
    let name = display_name(name);
    format!(
        "{FAILED}{name}{FAILED_BECAUSE}{error}. Please review the error and adjust your approach if needed."
    )
}
