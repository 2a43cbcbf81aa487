//! Writes a call as text, and tells models without tool support how to do so.

use std::{borrow::Cow, fmt::Write};

use mynah_core::chat::{LazyJson, Message, Tool};
use serde_json::Value;

use super::{Arguments, arguments::canonical_json};

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

/// Starts the label of a call.
pub(super) const CALL: &str = "AI ACTION";
/// Starts the label of a result.
pub(super) const RESULT: &str = "TOOL RESPONSE";

/// The prefix of every failure.
pub(super) const FAILED: &str = "TOOL FAILED: ";
/// Stands between the name and the error in every failure.
pub(super) const FAILED_BECAUSE: &str = " execution failed - ";

/// Returns a label that starts with `word`, such as `AI ACTION (Turn 2): `. Turn 0 is omitted.
pub(super) fn label(word: &str, turn: u32) -> String {
    match turn {
        0 => format!("{word}: "),
        turn => format!("{word} (Turn {turn}): "),
    }
}

/// Strips a label that starts with `word`, with or without a turn number.
pub(super) fn strip_label<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    let rest = match rest.strip_prefix(" (Turn ") {
        Some(turn) => {
            let end = turn.trim_start_matches(|char: char| char.is_ascii_digit());
            if end.len() == turn.len() {
                return None;
            }
            end.strip_prefix(')')?
        }
        None => rest,
    };
    rest.strip_prefix(": ")
}

/// Returns a readable form of a tool name: spaces instead of underscores, each word capitalized.
///
/// ```
/// use mynah_agent::tool_loop::transcript::display_name;
/// assert_eq!(display_name("google_search"), "Google Search");
/// assert_eq!(display_name("get-weather"), "Get-weather");
/// ```
pub fn display_name(name: &str) -> String {
    let words: Vec<_> = name.split(['_', ' ']).map(capitalize).collect();
    words.join(" ")
}

/// Returns the tool name for a display name. The result is in lower case because the original case
/// cannot be restored.
pub(super) fn tool_name(display_name: &str) -> String {
    display_name.trim().replace(' ', "_").to_ascii_lowercase()
}

fn capitalize(word: &str) -> String {
    let mut word = word.to_owned();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

/// Returns a system prompt that describes tools and how to call them as text. The
/// [text rendering](super::Rendering::Text) needs it, because its requests offer no tools.
///
/// ```
/// use mynah_agent::tool_loop::{ToolRegistry, transcript::instructions};
///
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Place { city: String }
/// let mut registry = ToolRegistry::new();
/// registry.register("get_weather", "The weather in a city", |place: Place| place.city)?;
/// let text = instructions(registry.tools());
/// assert!(text.contains("\n- Get Weather: The weather in a city. Parameters: {"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn instructions<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> String {
    let example = Arguments::from([("name", "value".into()), ("other_name", 5.into())]);
    let example = call_line("name_of_the_tool", &example, 1);
    let mut text = format!(
        "You can call tools. To call one, write a line like this and nothing after it:\n\
         {example}\n\
         Then wait. The next message has the result and starts with TOOL RESPONSE. \
         Each value may have at most 50 characters. Longer values are a JSON object on the same \
         line: with parameters: {{\"name\": \"long value\"}}. Without parameters, leave out \
         everything from \"with\" on. When you do not need a tool, just answer.\n\n\
         Tools:"
    );
    for Tool { name, description, parameters } in tools {
        let name = super::display_name(name);
        let description = description.as_deref().unwrap_or_default().trim_end_matches('.');
        let parameters = parameters.as_ref().map_or_else(|| "{}".into(), LazyJson::read);
        // Writing to a text does not fail.
        let _ = write!(text, "\n- {name}: {description}. Parameters: {parameters}");
    }
    text
}
