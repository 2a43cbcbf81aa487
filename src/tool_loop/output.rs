//! What a tool returned.

use serde_json::Value;

/// What the model gets to read of a call.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) text: String,
    /// Whether the text is JSON, of anything but a text.
    pub(super) is_json: bool,
}

impl From<Value> for Output {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => text.into(),
            value => Self { text: value.to_string(), is_json: true },
        }
    }
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self { text, is_json: false }
    }
}

impl Output {
    /// The output, or the beginning of one that is too long.
    pub(super) fn cut(self, max: usize) -> Self {
        let is_json = self.is_json && self.text.len() <= max;
        Self { text: cut(self.text, max), is_json }
    }
}

/// The beginning of a text that is too long, and a note that says so.
pub(super) fn cut(mut text: String, max: usize) -> String {
    let bytes = text.len();
    if bytes > max {
        text.truncate(text.floor_char_boundary(max));
        text += &format!("\n[cut: these are {} of {bytes} bytes]", text.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_says_so_and_splits_no_character() {
        assert_eq!(cut("äö".to_owned(), 4), "äö");
        assert_eq!(cut("äö".to_owned(), 3), "ä\n[cut: these are 2 of 4 bytes]");
        assert_eq!(cut("ä".to_owned(), 1), "\n[cut: these are 0 of 2 bytes]");
    }

    #[test]
    fn what_is_cut_is_no_json() {
        let output = Output::from(serde_json::json!(["ä"]));
        assert_eq!((output.text.as_str(), output.is_json), ("[\"ä\"]", true));
        assert!(output.clone().cut(6).is_json);
        assert!(!output.cut(5).is_json);
    }
}
