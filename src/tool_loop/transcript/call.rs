use std::borrow::Cow;

use serde_json::Value;

use super::{
    Arguments, key,
    label::{CALL, TurnLabel},
    name::display_name,
};
use crate::chat::{Message, Role};

/// The longest text, in characters, that a value may be without being cut.
const MAX_VALUE: usize = 50;

/// A call as a message of the assistant: `AI ACTION (Turn 1): Executing Get Weather with
/// parameters: city: Oslo`.
///
/// Texts of more than 50 characters are cut, and end in `...`. Turn 0 is not named.
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
        for piece in [separator, name, ": ", &shown(value)] {
            text.push_str(piece);
        }
    }
    Message::new(Role::Assistant { tool_calls: Vec::new() }, text)
}

/// Texts without quotes, anything else as JSON.
fn shown(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => cut(text),
        other => key::by_value(other).into(),
    }
}

fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}
