//! The output of a tool.

use std::{borrow::Cow, fmt};

use serde::Serialize;
use serde_json::Value;

/// The output of a tool, as sent to the model: a string unchanged, or another value as compact JSON.
///
/// ```
/// use mynah_agent::tool_loop::ToolOutput;
/// #[derive(serde::Serialize)]
/// struct Tip { tip: f64, total: f64 }
/// // Fields keep their order.
/// let output = ToolOutput::new(&Tip { tip: 9.12, total: 54.72 })?;
/// assert_eq!(output.text(), r#"{"tip":9.12,"total":54.72}"#);
/// assert_eq!(ToolOutput::new(&"sunny")?.text(), "sunny");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    pub(super) text: String,
    /// Whether `text` is JSON. A string is sent without quotes and is not JSON.
    is_json: bool,
}

impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => text.into(),
            value => Self { text: value.to_string(), is_json: true },
        }
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self { text, is_json: false }
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for ToolOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<str> for ToolOutput {
    fn eq(&self, text: &str) -> bool {
        self.text == text
    }
}

impl PartialEq<&str> for ToolOutput {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}

impl ToolOutput {
    /// Serializes a value.
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be represented as JSON.
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        let json = serde_json::to_string(value)?;
        if json.starts_with('"') {
            return Ok(serde_json::from_str::<String>(&json)?.into());
        }
        Ok(Self { text: json, is_json: true })
    }

    /// Returns the text that the model receives.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value that the tool returned.
    pub fn value(&self) -> Value {
        let value = if self.is_json { serde_json::from_str(&self.text).ok() } else { None };
        value.unwrap_or_else(|| self.text.as_str().into())
    }

    /// Returns the value as compact JSON, with fields in their order. Returns `None` if the value is
    /// null or empty. Zero and `false` are not empty.
    pub(super) fn data(&self) -> Option<Cow<'_, str>> {
        match (self.is_json, self.text.as_str()) {
            (true, "null" | "[]" | "{}") | (false, "") => None,
            (true, json) => Some(json.into()),
            (false, text) => Some(Value::from(text).to_string().into()),
        }
    }

    /// Changes the text, but not whether it is JSON.
    pub(super) fn map_text(self, map: impl FnOnce(&str) -> String) -> Self {
        Self { text: map(&self.text), ..self }
    }

    /// Truncates the output to `max` bytes and appends a note. Truncated output is no longer JSON.
    pub(super) fn truncate(self, max: usize) -> Self {
        let is_json = self.is_json && self.text.len() <= max;
        Self { text: truncate(self.text, max), is_json }
    }
}

/// Truncates a text to `max` bytes, at a character boundary, and appends a note.
pub(super) fn truncate(mut text: String, max: usize) -> String {
    let bytes = text.len();
    if bytes > max {
        text.truncate(text.floor_char_boundary(max));
        text.shrink_to_fit();
        text += &format!("\n[truncated: {} of {bytes} bytes]", text.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_at_a_character_boundary_with_a_note() {
        assert_eq!(truncate("äö".to_owned(), 4), "äö");
        assert_eq!(truncate("äö".to_owned(), 3), "ä\n[truncated: 2 of 4 bytes]");
        assert_eq!(truncate("ä".to_owned(), 1), "\n[truncated: 0 of 2 bytes]");
    }

    #[test]
    fn truncated_output_is_not_json() {
        let output = ToolOutput::from(serde_json::json!(["ä"]));
        assert_eq!((output.text.as_str(), output.is_json), ("[\"ä\"]", true));
        assert!(output.clone().truncate(6).is_json);
        assert!(!output.truncate(5).is_json);
    }
}
