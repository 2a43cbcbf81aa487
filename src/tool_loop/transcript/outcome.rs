//! Results of calls, and the texts that report them to the model.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    correction::{correction_text, is_correction},
    label::{FAILED, FAILED_BECAUSE},
};

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
    /// The call has no result yet.
    Pending,
}

impl Outcome {
    /// Returns the text of the tool message: a string unchanged, or other data as compact JSON.
    /// Returns `None` if there is no tool message yet.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Pending => return None,
            Self::Result(ToolResult::Success { data: Value::String(text) }) => text.into(),
            Self::Result(ToolResult::Success { data }) => data.to_string().into(),
            Self::Result(ToolResult::Failure { error, .. }) => {
                (error_executing(name) + error).into()
            }
            Self::NotFound => not_found(name).into(),
            Self::Duplicate => correction_text(name).into(),
        })
    }
}

/// What a result in a history reports about its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// There is no result.
    Unknown,
    /// The call did not run, but may run if it is repeated.
    NotRun,
    /// The call failed.
    Failed,
    /// The call was interrupted and may have taken effect.
    Interrupted,
    /// The call succeeded.
    Done,
}

/// Returns what a tool message reports about its call.
pub(super) fn native_fate(name: &str, text: &str) -> Fate {
    match text.strip_prefix(&error_executing(name)) {
        Some(error) => fate_of(error),
        None if text == correction_text(name) => Fate::NotRun,
        None if text == not_found(name) => Fate::Failed,
        None => Fate::Done,
    }
}

/// Returns what a result in the text rendering reports about its call.
pub(super) fn fate_in_text(text: &str) -> Fate {
    match text.strip_prefix(FAILED) {
        Some(error) => fate_of(error.split_once(FAILED_BECAUSE).map_or(error, |(_, error)| error)),
        None if is_correction(text) => Fate::NotRun,
        None => Fate::Done,
    }
}

fn fate_of(error: &str) -> Fate {
    match error {
        NOT_RUN | CIRCUIT_OPEN => Fate::NotRun,
        INTERRUPTED => Fate::Interrupted,
        _ => Fate::Failed,
    }
}

/// The error of a call that did not start because the loop ended. [`native_fate`] and
/// [`fate_in_text`] recognize this error and the next two in a history.
pub(in crate::tool_loop) const NOT_RUN: &str = "the call did not run because the tool loop ended";
/// The error of a call that was running when the loop ended.
pub(in crate::tool_loop) const INTERRUPTED: &str =
    "the call was interrupted because the tool loop ended; it may have taken effect";
/// The error of a call to a tool whose circuit breaker is open.
pub(in crate::tool_loop) const CIRCUIT_OPEN: &str =
    "circuit open after repeated failures; try again later";

/// Returns the error for a call to an unknown tool.
pub(in crate::tool_loop) fn not_found(name: &str) -> String {
    format!("Tool '{name}' not found")
}

/// Returns the prefix of every error for a call to a known tool.
pub(in crate::tool_loop) fn error_executing(name: &str) -> String {
    format!("Error executing {name}: ")
}
