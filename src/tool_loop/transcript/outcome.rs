use std::borrow::Cow;

use serde_json::Value;

use super::duplicates::correction_text;

/// What a tool gave.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolResult {
    /// It did what it was asked.
    Success {
        /// What it says.
        data: Value,
    },
    /// It did not.
    Failure {
        /// What went wrong.
        error: String,
        /// What it says all the same. Only text shows it.
        data: Value,
    },
}

impl ToolResult {
    /// A success with these data.
    pub fn success(data: impl Into<Value>) -> Self {
        Self::Success { data: data.into() }
    }

    /// A failure without data.
    pub fn failure(error: impl Into<String>) -> Self {
        Self::Failure { error: error.into(), data: Value::Null }
    }

    /// The data, whether it went well or not.
    pub fn data(&self) -> &Value {
        match self {
            Self::Success { data } | Self::Failure { data, .. } => data,
        }
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The tool gave a result.
    Result(ToolResult),
    /// There is no tool of that name.
    NotFound,
    /// The call was not run, for it is a duplicate.
    Duplicate,
}

impl Outcome {
    /// What the message of a tool says: texts as they are, other data as compact JSON.
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

/// Whether the message of a tool tells of a call that was not run, or not to its end.
pub(super) fn is_left_out(name: &str, text: &str) -> bool {
    text.ends_with(ENDED) || text == correction_text(name)
}

/// Whether the message of a tool tells of a success.
pub(super) fn is_success(name: &str, text: &str) -> bool {
    let is_failure = text.starts_with(&error_executing(name)) || text == not_found(name);
    !is_failure && text != correction_text(name)
}

/// What is wrong with a call whose loop ended before it.
pub(in crate::tool_loop) const ENDED: &str = "the tool loop ended before there was a result";

/// What is wrong with a call of a tool that is not there.
pub(in crate::tool_loop) fn not_found(name: &str) -> String {
    format!("Tool '{name}' not found")
}

/// What precedes the reason where a tool gave no result.
pub(in crate::tool_loop) fn error_executing(name: &str) -> String {
    format!("Error executing {name}: ")
}
