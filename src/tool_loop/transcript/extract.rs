use serde_json::Value;

use super::{
    Arguments, CallKey,
    label::{self, CALL},
    name::tool_name,
};
use crate::chat::{Message, Role};

/// A call that was read from text.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    /// Name of the tool, in small letters, whatever the tool's own are.
    pub name: String,
    /// Its arguments: values that are JSON as such, others as text.
    pub arguments: Arguments,
    /// Whether a value ends in `...`, so that its rest may be missing: such a call equals no other.
    pub is_truncated: bool,
}

/// Reads the call that a message of the assistant ends with, in the form of
/// [`call_message`](super::call_message).
///
/// Arguments are split at `, `, and parts without `: ` are passed over; a value with a line break
/// cannot be read.
///
/// ```
/// use mynah::{chat::{Message, Role}, tool_loop::transcript::extract};
/// let text = "AI ACTION (Turn 2): Executing Get Weather with parameters: city: Oslo, days: 3";
/// let message = Message::new(Role::Assistant { tool_calls: vec![] }, text);
/// let call = extract(&message).unwrap();
/// assert_eq!(call.name, "get_weather");
/// assert_eq!(call.arguments.to_string(), r#"{"city":"Oslo","days":3}"#);
/// ```
pub fn extract(message: &Message) -> Option<Extracted> {
    let Role::Assistant { .. } = message.role else { return None };
    let text = message.text();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let line = text.rsplit('\n').next()?;
    line.match_indices(CALL).find_map(|(at, _)| read(&line[at..]))
}

/// Reads a text that is a call from its first to its last character.
pub(super) fn read(line: &str) -> Option<Extracted> {
    let call = label::strip(line, CALL)?.strip_prefix("Executing ")?;
    let (name, list) = call.split_once(" with parameters:").unwrap_or((call, ""));
    let name = tool_name(name);
    if name.is_empty() {
        return None;
    }
    let pairs = list.split(", ").filter_map(|piece| piece.split_once(": "));
    let pairs = pairs.map(|(name, value)| (name.trim(), value.trim()));
    let is_truncated = pairs.clone().any(|(_, value)| value.ends_with("..."));
    let arguments = pairs.map(|(name, value)| (name, decoded(value))).collect();
    Some(Extracted { name, arguments, is_truncated })
}

fn decoded(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| value.into())
}

impl Extracted {
    /// The key of the call, where its arguments are whole.
    pub(super) fn key(&self) -> Option<CallKey> {
        (!self.is_truncated).then(|| CallKey::new(&self.name, &self.arguments))
    }
}
