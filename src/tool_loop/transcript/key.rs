//! The key that identifies a call.

use std::sync::Arc;

use serde_json::Value;

use super::{Arguments, canonical::canonical_json};
use crate::chat::ToolCall;

/// Identifies a call by the tool's name and the arguments. Two calls are the same if their keys are
/// equal.
///
/// The order of arguments does not matter, and numbers are compared by value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKey(Arc<str>);

impl CallKey {
    pub(in crate::tool_loop) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key of a call with parsed arguments.
    pub(super) fn new(name: &str, arguments: &Arguments) -> Self {
        Self(canonical_json(&(name, arguments.by_name())).into())
    }

    /// Returns the key of a call as the model made it. Arguments that are not JSON are compared as
    /// text.
    pub(super) fn of(call: &ToolCall) -> Self {
        let ToolCall { name, arguments, .. } = call;
        if arguments.trim().is_empty() {
            return Self::new(name, &Arguments::default());
        }
        let arguments: Value =
            serde_json::from_str(arguments).unwrap_or_else(|_| arguments.as_str().into());
        Self(canonical_json(&(name, arguments)).into())
    }
}
