//! Splits text into sentences.

use std::ops::Range;

use super::lexicon::TITLES;

/// Returns the ranges of the sentences in a text. Together they are the whole text.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let sentence = (start < text.len()).then(|| start..sentence_end(text, start))?;
        start = sentence.end;
        Some(sentence)
    })
}

/// Returns the sentence that contains the byte at `at`, in a text of which `from` starts a sentence.
pub(crate) fn sentence_around(text: &str, from: usize, at: usize) -> Range<usize> {
    let mut before = (from..at).rev().filter(|before| may_break(text, *before));
    let start = before.find_map(|before| break_at(text, before));
    start.unwrap_or(from)..sentence_end(text, at)
}

fn sentence_end(text: &str, from: usize) -> usize {
    let mut ends = (from..text.len()).filter(|at| may_break(text, *at));
    ends.find_map(|at| break_at(text, at)).unwrap_or(text.len())
}

/// Returns `false` for most bytes that end no sentence.
fn may_break(text: &str, at: usize) -> bool {
    matches!(text.as_bytes()[at], b'\n' | b'\r' | b'.' | b'!' | b'?' | 0xe2)
}

/// Returns where the next sentence starts if the byte at `at` ends one. Line breaks do, and `.`, `!`
/// and `?` before white space.
fn break_at(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes()[at] {
        b'\n' | b'\r' => Some(at + 1),
        b'.' if ends_with_title(&text[..at]) => None,
        b'.' | b'!' | b'?' if text[at + 1..].starts_with(char::is_whitespace) => Some(at + 1),
        // The first byte of the line separator and of the paragraph separator.
        0xe2 if text[at..].starts_with(['\u{2028}', '\u{2029}']) => Some(at + 3),
        _ => None,
    }
}

/// Returns `true` if a text ends with a title.
pub(crate) fn ends_with_title(text: &str) -> bool {
    TITLES.iter().any(|title| {
        let before = text.strip_suffix(title);
        before.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::{sentence_around, sentences};

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
            ("with Dr. Park. Then", 2),
            ("WordDr. Park", 2),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text).count(), expected, "{text}");
            assert_eq!(sentences(text).map(|it| &text[it]).collect::<String>(), text);
            for sentence in sentences(text) {
                assert_eq!(sentence_around(text, 0, sentence.start), sentence);
                assert_eq!(sentence_around(text, sentence.start, sentence.start), sentence);
            }
        }
    }
}
