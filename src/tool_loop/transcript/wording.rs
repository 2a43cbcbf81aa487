//! Results in words.

use std::{fmt, sync::Arc};

use serde_json::Value;

use super::{
    Arguments, ToolResult,
    label::{RESULT, TurnLabel},
    name::display_name,
};
use crate::chat::{Message, Role};

/// Begins the text of a failure.
pub(super) const FAILED: &str = "TOOL FAILED: ";

/// How results are put in words, for models that know no tools.
///
/// ```
/// use mynah::tool_loop::transcript::{Arguments, Executed, ToolResult, Wording};
/// use serde_json::json;
///
/// let result = ToolResult::success(json!({"url": "https://example.com/7"}));
/// let post = Executed { name: "post", arguments: &Arguments::default(), result: &result };
/// let text = "SUCCESS: Post completed successfully. \
///             The requested operation has been finished as requested.";
/// assert_eq!(Wording::default().text(&post), text);
///
/// let wording = Wording::customised(|message, executed| match &executed.result.data()["url"] {
///     serde_json::Value::String(url) => format!("SUCCESS: Post published at {url}"),
///     _ => message.to_owned(),
/// });
/// assert_eq!(wording.text(&post), "SUCCESS: Post published at https://example.com/7");
/// ```
#[derive(Clone, Default)]
pub struct Wording {
    customise: Option<Arc<Customise>>,
}

type Customise = dyn Fn(&str, &Executed<'_>) -> String + Send + Sync;

/// A call that was executed.
#[derive(Debug, Clone, Copy)]
pub struct Executed<'a> {
    /// Name of the tool.
    pub name: &'a str,
    /// What it was called with.
    pub arguments: &'a Arguments,
    /// What came of it.
    pub result: &'a ToolResult,
}

/// How much of a result a message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Whether it went well: enough where a tool only acts, as those that handle an output do.
    TextOnly,
    /// Also the data, as JSON after a blank line, unless there is nothing in it.
    WithData,
}

impl Wording {
    /// Has `customise` make the text of a success, from the text that it would be and the call.
    pub fn customised(
        customise: impl Fn(&str, &Executed<'_>) -> String + Send + Sync + 'static,
    ) -> Self {
        Self { customise: Some(Arc::new(customise)) }
    }

    /// Whether a call went well, in words.
    pub fn text(&self, executed: &Executed<'_>) -> String {
        let name = executed.name;
        if let ToolResult::Failure { error, .. } = executed.result {
            let error = if error.is_empty() { "Unknown error occurred" } else { error };
            return format!("{FAILED}{name} execution failed - {error}");
        }
        let display = display_name(name);
        let text = format!(
            "SUCCESS: {display} completed successfully. The requested operation has been finished as requested."
        );
        self.customise.as_ref().map_or_else(|| text.clone(), |customise| customise(&text, executed))
    }

    /// A result as a message of the user: `TOOL RESPONSE (Turn 1): SUCCESS: …`. In turn 0 the text
    /// stands alone.
    pub fn message(&self, executed: &Executed<'_>, detail: Detail, turn: u32) -> Message {
        let label =
            if turn == 0 { String::new() } else { format!("{RESULT}{}: ", TurnLabel(turn)) };
        let mut text = label + &self.text(executed);
        let data = executed.result.data();
        if detail == Detail::WithData && !is_empty(data) {
            text += &format!("\n\n{data}");
        }
        Message::new(Role::User, text)
    }
}

/// Whether data says nothing. Zero and `false` are answers.
fn is_empty(data: &Value) -> bool {
    match data {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

impl fmt::Debug for Wording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wording").field("is_customised", &self.customise.is_some()).finish()
    }
}

/// A failure in words, with advice.
///
/// ```
/// use mynah::tool_loop::transcript::failure_text;
/// let text = "TOOL FAILED: Google Search execution failed - quota exceeded. \
///             Please review the error and adjust your approach if needed.";
/// assert_eq!(failure_text("google_search", "quota exceeded"), text);
/// ```
pub fn failure_text(name: &str, error: &str) -> String {
    let name = display_name(name);
    format!(
        "{FAILED}{name} execution failed - {error}. Please review the error and adjust your approach if needed."
    )
}
