//! Writes results as text.

use std::{collections::BTreeSet, fmt, sync::Arc};

use mynah_core::chat::Message;
use serde_json::Value;

use super::{
    Arguments,
    label::{FAILED, FAILED_BECAUSE, RESULT, display_name, label},
};
use crate::tool_loop::ToolOutput;

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
