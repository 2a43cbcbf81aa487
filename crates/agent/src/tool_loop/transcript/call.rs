//! Writes a call as text.

use std::borrow::Cow;

use mynah_core::chat::Message;
use serde_json::Value;

use super::{
    Arguments,
    arguments::canonical_json,
    label::{CALL, display_name, label},
};

/// Maximum number of characters in a text value. Longer values are truncated.
const MAX_VALUE_CHARS: usize = 50;

/// Formats a call as an assistant message: `AI ACTION (Turn 1): Executing Get Weather with
/// parameters: city: Oslo`.
///
/// Text values longer than 50 characters are truncated and end in `...`. The label for turn 0 has
/// no number.
///
/// ```
/// use mynah_agent::tool_loop::transcript::{Arguments, call_message};
/// let message = call_message("list_files", &Arguments::default(), 0);
/// assert_eq!(message.text(), "AI ACTION: Executing List Files");
/// ```
pub fn call_message(name: &str, arguments: &Arguments, turn: u32) -> Message {
    Message::assistant(call_text(name, arguments, turn, plain_text))
}

/// Formats a call like [`call_message`], but on one line: text with line breaks is quoted.
pub(super) fn call_line(name: &str, arguments: &Arguments, turn: u32) -> String {
    call_text(name, arguments, turn, quoted_text)
}

fn call_text(name: &str, arguments: &Arguments, turn: u32, text_of: ValueText) -> String {
    let mut text = label(CALL, turn) + "Executing " + &display_name(name);
    if !arguments.is_empty() {
        text += " with parameters: ";
        text += &parameters_text(arguments, text_of);
    }
    text
}

/// Returns the text of a whole value.
pub(super) type ValueText = fn(&Value) -> Cow<'_, str>;

/// Returns arguments as text, in which long values are truncated.
pub(super) fn parameters_text(arguments: &Arguments, text_of: ValueText) -> String {
    let mut text = String::new();
    let separators = std::iter::once("").chain(std::iter::repeat(", "));
    for (separator, (name, value)) in separators.zip(arguments.iter()) {
        let whole = text_of(value);
        let value = if value.is_string() { truncate(&whole) } else { Cow::Borrowed(&*whole) };
        for piece in [separator, name, ": ", &value] {
            text.push_str(piece);
        }
    }
    text
}

/// Returns a string without quotes, and any other value as JSON.
pub(super) fn plain_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        other => canonical_json(other).into(),
    }
}

/// Returns a value like [`plain_text`], but on one line: a string with line breaks is quoted.
pub(super) fn quoted_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) if text.contains(['\n', '\r']) => value.to_string().into(),
        value => plain_text(value),
    }
}

/// Returns `true` if a value is truncated in text.
pub(super) fn is_truncated(value: &Value, text_of: ValueText) -> bool {
    value.is_string() && text_of(value).chars().nth(MAX_VALUE_CHARS).is_some()
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
