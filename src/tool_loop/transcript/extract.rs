//! Reads calls back from text.

use serde_json::Value;

use super::{
    Arguments, CallKey,
    label::{self, CALL},
    name::tool_name,
};
use crate::chat::{Message, Role};

/// A call read from text by [`extract`].
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedCall {
    /// Name of the tool, always in lower case.
    pub name: String,
    /// Arguments. A value that is valid JSON is parsed, and any other value is a string.
    pub arguments: Arguments,
    /// Whether a value ends in `...` and may therefore be incomplete. Such a call is never a
    /// duplicate.
    pub is_truncated: bool,
}

/// Extracts the call at the end of an assistant message, in the format of
/// [`call_message`](super::call_message). Returns `None` if there is no such call.
///
/// Arguments are split at `, `, and parts without `: ` are ignored. A call with a line break in a
/// value cannot be extracted.
///
/// ```
/// use mynah::{chat::{Message, Role}, tool_loop::transcript::extract};
/// let text = "AI ACTION (Turn 2): Executing Get Weather with parameters: city: Oslo, days: 3";
/// let message = Message::new(Role::Assistant { tool_calls: vec![] }, text);
/// let call = extract(&message).unwrap();
/// assert_eq!(call.name, "get_weather");
/// assert_eq!(call.arguments.to_string(), r#"{"city":"Oslo","days":3}"#);
/// ```
pub fn extract(message: &Message) -> Option<ExtractedCall> {
    let Role::Assistant { .. } = message.role else { return None };
    let text = message.text();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let line = text.rsplit('\n').next()?;
    line.match_indices(CALL).find_map(|(at, _)| parse(&line[at..]))
}

/// Parses a line that consists of a call and nothing else.
pub(super) fn parse(line: &str) -> Option<ExtractedCall> {
    let call = label::strip(line, CALL)?.strip_prefix("Executing ")?;
    let (name, list) = call.split_once(" with parameters:").unwrap_or((call, ""));
    let name = tool_name(name);
    if name.is_empty() {
        return None;
    }
    let pairs = list.split(", ").filter_map(|piece| piece.split_once(": "));
    let pairs = pairs.map(|(name, value)| (name.trim(), value.trim()));
    let is_truncated = pairs.clone().any(|(_, value)| value.ends_with("..."));
    let arguments = pairs.map(|(name, value)| (name, parse_value(value))).collect();
    Some(ExtractedCall { name, arguments, is_truncated })
}

fn parse_value(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| value.into())
}

impl ExtractedCall {
    /// Returns the key of the call, or `None` if its arguments are truncated.
    pub(super) fn key(&self) -> Option<CallKey> {
        (!self.is_truncated).then(|| CallKey::new(&self.name, &self.arguments))
    }
}
