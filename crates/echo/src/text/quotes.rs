//! Finds quoted text.

use std::ops::Range;

use memchr::{memchr2, memchr3};

/// The opening and closing marks of quotes.
const MARKS: [(char, char); 5] =
    [('"', '"'), ('\u{201c}', '\u{201d}'), ('«', '»'), ('\'', '\''), ('`', '`')];
/// The mark that is also an apostrophe. It opens and closes quotes only at the edges of words.
const APOSTROPHE: char = '\'';

/// Returns the ranges between quotation marks, in order. Quotes in quotes are not listed. A quote
/// does not extend over an empty line. Marks around the whole text quote nothing.
pub(crate) fn quotes(text: &str) -> Vec<Range<usize>> {
    let found = all_quotes(text);
    match found.as_slice() {
        [whole]
            if text[..whole.start].trim_start().chars().count() == 1
                && text[whole.end..].trim_end().chars().count() == 1 =>
        {
            let inside = all_quotes(&text[whole.clone()]);
            inside.into_iter().map(|it| whole.start + it.start..whole.start + it.end).collect()
        }
        _ => found,
    }
}

fn all_quotes(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // For each mark, where the search for its partner has ended without success. Keeps the work
    // linear.
    let mut unclosed_until = [0; MARKS.len()];
    let mut next = 0;
    if !may_have_marks(text.as_bytes()) {
        return found;
    }
    for (at, c) in text.char_indices() {
        let Some(mark) = MARKS.iter().position(|(open, _)| *open == c) else { continue };
        let start = at + c.len_utf8();
        if at < next || at < unclosed_until[mark] || !opens(text, at, c) {
            continue;
        }
        match find_close(text, start, MARKS[mark].1) {
            Ok(end) => {
                found.push(start..end);
                next = end + MARKS[mark].1.len_utf8();
            }
            Err(end) => unclosed_until[mark] = end,
        }
    }
    found
}

/// Returns `true` if a text has a byte that an opening mark starts with. Most texts have none.
fn may_have_marks(text: &[u8]) -> bool {
    memchr3(b'"', b'\'', b'`', text).is_some() || memchr2(0xc2, 0xe2, text).is_some()
}

fn opens(text: &str, at: usize, mark: char) -> bool {
    let (before, after) = (&text[..at], &text[at + mark.len_utf8()..]);
    mark != APOSTROPHE
        || !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_whitespace)
}

/// Returns the position of a closing mark. If there is none, returns the end of the searched text.
fn find_close(text: &str, start: usize, mark: char) -> Result<usize, usize> {
    let mut searched = start;
    for (at, _) in text[start..].match_indices(mark) {
        let at = start + at;
        if let Some(empty_line) = text[searched..at].find("\n\n") {
            return Err(searched + empty_line);
        }
        if closes(&text[start..at], &text[at + mark.len_utf8()..], mark) {
            return Ok(at);
        }
        searched = at;
    }
    Err(text.len())
}

fn closes(quoted: &str, after: &str, mark: char) -> bool {
    let ends_word = || quoted.chars().next_back().is_some_and(|c| !c.is_whitespace());
    mark != APOSTROPHE || !after.starts_with(char::is_alphanumeric) && ends_word()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::quotes;

    #[test]
    fn finds_quotes() {
        let cases: [(&str, &[&str]); 14] = [
            ("say \"good morning\" and \"bye\"", &["good morning", "bye"]),
            ("“one”, «two», `three`, 'four'", &["one", "two", "three", "four"]),
            ("don't and won't", &[]),
            ("'don't stop' now", &["don't stop"]),
            ("the users' list and the dogs' food", &[]),
            ("say \"it's 'fine'\"", &["it's 'fine'"]),
            (" \"say 'fine'\"\n", &["fine"]),
            ("5\" of rain", &[]),
            ("one \"two\n\nthree\" \"four\"", &[" "]),
            ("(\"two\nlines\")", &["two\nlines"]),
            ("“whole”", &[]),
            ("\"\" ''", &[""]),
            ("'tis \"so\"", &["so"]),
            ("(`x`)", &["x"]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = quotes(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn quotes_are_disjoint(text in "[\"'`“”«»a \n]{0,20}") {
            let ends: Vec<_> = quotes(&text).into_iter().flat_map(|it| [it.start, it.end]).collect();
            prop_assert!(ends.is_sorted());
        }
    }
}
