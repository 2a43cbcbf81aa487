//! Splits text into sentences.

use std::ops::Range;

/// Returns the ranges of the sentences in a text. Together they are the whole text.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let sentence = (start < text.len()).then(|| start..sentence_end(text, start))?;
        start = sentence.end;
        Some(sentence)
    })
}

/// Returns the end of the sentence that contains the byte at `from`: after a line break, or after
/// `.`, `!` or `?` before white space.
pub(crate) fn sentence_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    for at in from..bytes.len() {
        let end = match bytes[at] {
            b'\n' | b'\r' => at + 1,
            b'.' | b'!' | b'?' if text[at + 1..].starts_with(char::is_whitespace) => at + 1,
            // The first byte of the line separator and the paragraph separator.
            0xe2 if text[at..].starts_with(['\u{2028}', '\u{2029}']) => at + 3,
            _ => continue,
        };
        return end;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn sentences_end_at_line_breaks_and_before_white_space() {
        let cases = [
            ("", 0),
            ("one two", 1),
            ("one. two", 2),
            ("one.two", 1),
            ("one... two", 2),
            ("one\ntwo", 2),
            ("one\u{2028}two", 2),
            ("one, two; three", 1),
            ("Really?! Yes.", 2),
            ("3.5 or 4. Fine", 2),
            ("one!\u{3000}two", 2),
            ("one.", 1),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text).count(), expected, "{text}");
            assert_eq!(sentences(text).map(|it| &text[it]).collect::<String>(), text);
        }
    }
}
