//! Results of calls, and the texts that report them to the model.

use std::borrow::Cow;

use serde_json::Value;

use super::correction::correction_text;

/// The result that a tool returned.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolResult {
    /// The tool succeeded.
    Success {
        /// Data that the tool returned.
        data: Value,
    },
    /// The tool failed.
    Failure {
        /// Error message.
        error: String,
        /// Data that the tool returned despite the failure. Only the text rendering includes the
        /// data.
        data: Value,
    },
}

impl ToolResult {
    /// Creates a success with `data`.
    pub fn success(data: impl Into<Value>) -> Self {
        Self::Success { data: data.into() }
    }

    /// Creates a failure without data.
    pub fn failure(error: impl Into<String>) -> Self {
        Self::Failure { error: error.into(), data: Value::Null }
    }

    /// Returns the data of a success or a failure.
    pub fn data(&self) -> &Value {
        match self {
            Self::Success { data } | Self::Failure { data, .. } => data,
        }
    }
}

/// The outcome of a call in a transcript.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The tool returned a result.
    Result(ToolResult),
    /// There is no tool with this name.
    NotFound,
    /// The call did not run because it is a duplicate.
    Duplicate,
}

impl Outcome {
    /// Returns the text of the tool message: a string unchanged, or other data as compact JSON.
    pub(super) fn text(&self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Result(ToolResult::Success { data: Value::String(text) }) => text.into(),
            Self::Result(ToolResult::Success { data }) => data.to_string().into(),
            Self::Result(ToolResult::Failure { error, .. }) => {
                (error_executing(name) + error).into()
            }
            Self::NotFound => not_found(name).into(),
            Self::Duplicate => correction_text(name).into(),
        }
    }
}

/// Returns `true` if a tool message reports a call that did not run or did not finish.
pub(super) fn is_skipped(name: &str, text: &str) -> bool {
    text.ends_with(LOOP_ENDED) || text == correction_text(name)
}

/// Returns `true` if a tool message reports a success.
pub(super) fn is_success(name: &str, text: &str) -> bool {
    let is_failure = text.starts_with(&error_executing(name)) || text == not_found(name);
    !is_failure && text != correction_text(name)
}

/// The error of a call that did not run or did not finish because the loop ended. [`is_skipped`]
/// recognizes this text in a history.
pub(in crate::tool_loop) const LOOP_ENDED: &str = "the tool loop ended before there was a result";

/// Returns the error for a call to an unknown tool.
pub(in crate::tool_loop) fn not_found(name: &str) -> String {
    format!("Tool '{name}' not found")
}

/// Returns the prefix of every error for a call to a known tool.
pub(in crate::tool_loop) fn error_executing(name: &str) -> String {
    format!("Error executing {name}: ")
}
