//! Makes JSON readable as YAML.

use std::{borrow::Cow, fmt::Write};

use serde::de::IgnoredAny;

/// Escapes the characters in a JSON text that YAML does not allow. Other texts stay as they are.
pub(super) fn from_json(text: &str) -> Cow<'_, str> {
    let is_json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
    if !text.contains(is_unprintable) || !is_json() {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if is_unprintable(char) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(char));
        } else {
            escaped.push(char);
        }
    }
    Cow::Owned(escaped)
}

/// Returns `true` for the characters that strings can have in JSON but not in YAML, and for line breaks
/// of YAML that are none in JSON.
fn is_unprintable(char: char) -> bool {
    matches!(
        char,
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::yaml::{parse_own, to_json};

    #[test]
    fn all_of_json_can_be_read() {
        let text = "a\u{7f}\u{85}\u{9f}\u{2028}\u{2029}\u{feff}\u{fffe}\u{ffff}\u{1f600}\n\t\\/\"";
        let json = serde_json::json!({ "text": text }).to_string();
        let tree = parse_own(&json).unwrap().unwrap();
        let read: serde_json::Value = serde_json::from_str(&to_json(&tree.root)).unwrap();
        assert_eq!(read["text"], text);
        assert_eq!(from_json("text: a\u{7f}"), "text: a\u{7f}");
    }
}
