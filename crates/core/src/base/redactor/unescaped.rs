//! Reads a text without its escapes.

use std::{borrow::Cow, ops::Range};

/// A text whose escapes are decoded, however often it was escaped, so that JSON in texts within other texts
/// looks like any other JSON. Positions are in bytes.
pub(super) struct Unescaped<'t> {
    original: &'t str,
    text: Cow<'t, str>,
    /// Where each byte is in the original, and the length of the original. Empty if nothing is escaped.
    origins: Vec<usize>,
}

impl<'t> Unescaped<'t> {
    pub(super) fn new(original: &'t str) -> Self {
        if memchr::memchr(b'\\', original.as_bytes()).is_none() {
            return Self { original, text: Cow::Borrowed(original), origins: Vec::new() };
        }
        let (mut text, mut origins) = (String::new(), Vec::new());
        let mut rest = original;
        while !rest.is_empty() {
            let at = original.len() - rest.len();
            let (char, end) = decode(rest);
            rest = rest.get(end..).unwrap_or_default();
            text.extend(char);
            origins.resize(text.len(), at);
        }
        origins.push(original.len());
        Self { original, text: Cow::Owned(text), origins }
    }

    /// Returns the text without escapes.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns where the character at a position begins in the original, with its escape.
    pub(super) fn origin(&self, at: usize) -> usize {
        self.origins.get(at).copied().unwrap_or(at)
    }

    /// Returns where the character at a position is in the original, with its escape.
    pub(super) fn encoding(&self, at: usize) -> Range<usize> {
        self.origin(at)..self.origin(at + 1)
    }

    /// Returns the number of texts within each other that the quote at a position is in.
    pub(super) fn depth(&self, at: usize) -> u32 {
        let encoded = self.original.get(self.encoding(at)).unwrap_or_default();
        let quote = encoded.trim_start_matches('\\');
        let backslashes = encoded.len() - quote.len();
        // Each text doubles the backslashes and adds one to a quote, or none if it writes the quote as a number.
        // Others before it are the end of what is quoted.
        if quote.starts_with('u') {
            let numbers = backslashes.trailing_zeros() + 1;
            let rest = backslashes.checked_shr(numbers).unwrap_or_default();
            numbers + rest.trailing_ones()
        } else {
            backslashes.trailing_ones()
        }
    }
}

/// Returns the first character of a text, and where its encoding ends. A text that ends within an escape has
/// none.
fn decode(text: &str) -> (Option<char>, usize) {
    let escaped = text.trim_start_matches('\\');
    let start = text.len() - escaped.len();
    let Some(char) = escaped.chars().next() else { return (None, text.len()) };
    let end = start + char.len_utf8();
    match char {
        _ if start == 0 => (Some(char), end),
        'n' => (Some('\n'), end),
        'r' => (Some('\r'), end),
        't' => (Some('\t'), end),
        'u' => match escaped.get(1..5).and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
            Some(code) => {
                (Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)), end + 4)
            }
            None => (Some(char), end),
        },
        _ => (Some(char), end),
    }
}

/// Returns a text without its escapes.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    Unescaped::new(text).text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_all_escapes() {
        for (text, expected) in [
            ("plain é", "plain é"),
            (r#"{\"a\"}"#, "{\"a\"}"),
            (r#"\\\"\\\\\\"é"#, "\"\"é"),
            (r"\\u0041\u002dA\/", "A-A/"),
            (r"a\\nb\tc\", "a\nb\tc"),
            (r"\ud83d\ux", "\u{fffd}ux"),
        ] {
            assert_eq!(unescape(text), expected, "{text}");
        }
    }

    #[test]
    fn knows_positions_in_the_original() {
        let text = Unescaped::new(r#"é\\\"é\u0022"#);
        assert_eq!(text.text(), "é\"é\"");
        assert_eq!([0, 2, 3, 5, 6].map(|at| text.origin(at)), [0, 2, 6, 8, 14]);
        assert_eq!(text.encoding(2), 2..6);
    }

    #[test]
    fn knows_how_deep_quotes_are() {
        let quotes = [
            ("\"", 0),
            (r#"\""#, 1),
            (r#"\\""#, 0),
            (r#"\\\""#, 2),
            (r#"\\\\\""#, 1),
            (r"\u0022", 1),
            (r"\\u0022", 2),
            (r"\\\u0022", 2),
            (r"\\\\\u0022", 1),
        ];
        for (text, depth) in quotes {
            let unescaped = Unescaped::new(text);
            assert_eq!((unescaped.text(), unescaped.depth(0)), ("\"", depth), "{text}");
        }
    }
}
