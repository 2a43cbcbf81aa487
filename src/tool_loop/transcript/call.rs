//! Writes a call as text.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Arguments,
    arguments::canonical_json,
    label::{CALL, display_name, label},
};
use crate::chat::{Message, Role};

/// Maximum number of characters in a text value. Longer values are truncated.
const MAX_VALUE_CHARS: usize = 50;

/// Formats a call as an assistant message: `AI ACTION (Turn 1): Executing Get Weather with
/// parameters: city: Oslo`.
///
/// Text values longer than 50 characters are truncated and end in `...`. The label for turn 0 has
/// no number.
///
/// ```
/// use mynah::tool_loop::transcript::{Arguments, call_message};
/// let message = call_message("list_files", &Arguments::default(), 0);
/// assert_eq!(message.text(), "AI ACTION: Executing List Files");
/// ```
pub fn call_message(name: &str, arguments: &Arguments, turn: u32) -> Message {
    let text = call_text(name, arguments, turn, value_text);
    Message::new(Role::Assistant { tool_calls: Vec::new() }, text)
}

/// Formats a call like [`call_message`], but on one line: text with line breaks is quoted.
pub(super) fn call_line(name: &str, arguments: &Arguments, turn: u32) -> String {
    call_text(name, arguments, turn, |value| match value {
        Value::String(text) if text.contains(['\n', '\r']) => {
            truncate(&value.to_string()).into_owned().into()
        }
        value => value_text(value),
    })
}

fn call_text(
    name: &str,
    arguments: &Arguments,
    turn: u32,
    value_text: impl Fn(&Value) -> Cow<'_, str>,
) -> String {
    let mut text = label(CALL, turn) + "Executing " + &display_name(name);
    let separators = std::iter::once(" with parameters: ").chain(std::iter::repeat(", "));
    for (separator, (name, value)) in separators.zip(arguments.iter()) {
        for piece in [separator, name, ": ", &value_text(value)] {
            text.push_str(piece);
        }
    }
    text
}

/// Returns a string without quotes, and any other value as JSON.
fn value_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => truncate(text),
        other => canonical_json(other).into(),
    }
}

/// Returns the name of the first argument whose value has the form of a truncated value.
pub(crate) fn truncated_argument(arguments: &Arguments) -> Option<&str> {
    let is_truncated = |value: &Value| {
        let whole = value.as_str().and_then(|text| text.strip_suffix("..."));
        whole.is_some_and(|text| text.chars().count() == MAX_VALUE_CHARS)
    };
    arguments.iter().find(|(_, value)| is_truncated(value)).map(|(name, _)| name)
}

fn truncate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}
