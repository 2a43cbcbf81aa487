//! Writes a call as text.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Arguments,
    canonical::canonical_json,
    label::{CALL, TurnLabel},
    name::display_name,
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
    let mut text = format!("{CALL}{}: Executing {}", TurnLabel(turn), display_name(name));
    let separators = std::iter::once(" with parameters: ").chain(std::iter::repeat(", "));
    for (separator, (name, value)) in separators.zip(arguments.iter()) {
        for piece in [separator, name, ": ", &value_text(value)] {
            text.push_str(piece);
        }
    }
    Message::new(Role::Assistant { tool_calls: Vec::new() }, text)
}

/// Returns a string without quotes, and any other value as JSON.
fn value_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => truncate(text),
        other => canonical_json(other).into(),
    }
}

fn truncate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}
