//! Splits text into words.

use std::ops::Range;

/// A word in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordRange {
    /// The bytes of the word.
    pub range: Range<usize>,
    /// The bytes of the unsplit run of letters and digits that contains the word: all of "GitHub"
    /// for both "Git" and "Hub".
    pub(crate) run: Range<usize>,
}

/// Splits a text into words.
pub fn words(text: &str) -> impl Iterator<Item = WordRange> {
    let (mut at, mut run) = (0, 0..0);
    std::iter::from_fn(move || {
        if at >= run.end {
            at += text[at..].find(|c| CharClass::of(c) != CharClass::Other)?;
            if let Some(len) = plain_word_len(&text[at..]) {
                run = at..at + len;
                at = run.end;
                return Some(WordRange { range: run.clone(), run: run.clone() });
            }
            run = at..run_end(text, at);
        }
        let range = at..word_end(&text[..run.end], at);
        at = range.end + plural_ending(text, &range, &run);
        Some(WordRange { range, run: run.clone() })
    })
}

/// Returns the letters and digits that the last line of a text ends with, apart from spaces.
pub(crate) fn last_word(text: &str) -> &str {
    let end = text.trim_end();
    if text[end.len()..].contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return "";
    }
    end.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

/// Returns the length of the run that a text starts with if it is one word, as most are: ASCII letters
/// of which the first may be a capital.
fn plain_word_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let capitals = usize::from(bytes.first()?.is_ascii_uppercase());
    let lower = bytes[capitals..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let len = capitals + lower;
    let ends = bytes.get(len).is_none_or(|next| next.is_ascii() && !next.is_ascii_alphanumeric());
    (lower > 0 && ends).then_some(len)
}

/// Returns the end of the run that starts at `start`. A run has letters and digits, and either all or
/// none of them are letters without case.
fn run_end(text: &str, start: usize) -> usize {
    let run = &text[start..];
    let starts_caseless = run.starts_with(is_caseless);
    let ends = |c| {
        let class = CharClass::of(c);
        class == CharClass::Other || (class == CharClass::Caseless) != starts_caseless
    };
    start + run.find(ends).unwrap_or(run.len())
}

/// Returns the end of the word that starts at `start` in a text that ends with its run.
fn word_end(text: &str, start: usize) -> usize {
    let mut previous = CharClass::Other;
    for (length, c) in text[start..].char_indices() {
        let (class, rest) = (CharClass::of(c), &text[start + length..]);
        let is_boundary = match (previous, class) {
            (CharClass::Lower, CharClass::Upper) => true,
            // The S of "Status" in HTTPStatus and S3Status, but not the F of PDFs.
            (CharClass::Upper | CharClass::Digit, CharClass::Upper) => {
                let next = &rest[c.len_utf8()..];
                next.starts_with(|c| CharClass::of(c) == CharClass::Lower)
                    && !is_plural_ending(next)
            }
            // The s of PDFs.
            (CharClass::Upper, CharClass::Lower) => length > 1 && is_plural_ending(rest),
            _ => false,
        };
        if is_boundary {
            return start + length;
        }
        previous = class;
    }
    text.len()
}

/// Returns `true` if a text starts with an s that belongs to an abbreviation before it.
fn is_plural_ending(text: &str) -> bool {
    let continues = |c| matches!(CharClass::of(c), CharClass::Lower | CharClass::Digit);
    text.strip_prefix('s').is_some_and(|rest| !rest.starts_with(continues))
}

/// Returns the length of the plural s after an abbreviation, which is part of no word.
fn plural_ending(text: &str, word: &Range<usize>, run: &Range<usize>) -> usize {
    let is_abbreviation = text[word.clone()].ends_with(char::is_uppercase) && word.len() > 1;
    usize::from(is_abbreviation && word.end < run.end && is_plural_ending(&text[word.end..run.end]))
}

/// A character class, as used to split text into words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Lower,
    Upper,
    /// A letter of a script without case, such as CJK or Arabic.
    Caseless,
    Digit,
    Other,
}

impl CharClass {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '\0'..='\x7f' => Self::Other,
            _ if c.is_lowercase() => Self::Lower,
            _ if c.is_uppercase() => Self::Upper,
            _ if c.is_alphabetic() => Self::Caseless,
            _ if c.is_numeric() => Self::Digit,
            _ => Self::Other,
        }
    }
}

/// Returns `true` if a character is a letter of a script without case.
pub(crate) fn is_caseless(c: char) -> bool {
    CharClass::of(c) == CharClass::Caseless
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::words;

    fn split(text: &str) -> Vec<String> {
        words(text).map(|word| text[word.range].to_lowercase()).collect()
    }

    #[test]
    fn splits_names_of_every_convention() {
        for name in
            ["send_email", "sendEmail", "SendEmail", "send-email", "send email", "SEND_EMAIL"]
        {
            assert_eq!(split(name), ["send", "email"], "{name}");
        }
    }

    #[test]
    fn splits_between_cases_and_scripts() {
        let cases: [(&str, &[&str]); 19] = [
            ("HTTPStatus", &["http", "status"]),
            ("getHTTPStatus", &["get", "http", "status"]),
            ("parseJSON", &["parse", "json"]),
            ("S3Upload", &["s3", "upload"]),
            ("v2", &["v2"]),
            ("sha256sum", &["sha256sum"]),
            ("get_weatherを", &["get", "weather", "を"]),
            ("第2章", &["第", "2", "章"]),
            ("天気予報", &["天気予報"]),
            ("ÜberMäßig", &["über", "mäßig"]),
            ("what's", &["what", "s"]),
            ("…!?", &[]),
            ("PDFs", &["pdf"]),
            ("listPDFs now", &["list", "pdf", "now"]),
            ("IDs, APIsFor", &["id", "api", "for"]),
            ("USsoil", &["u", "ssoil"]),
            ("As is", &["as", "is"]),
            ("S3s", &["s3s"]),
            ("A", &["a"]),
        ];
        for (text, expected) in cases {
            assert_eq!(split(text), expected, "{text}");
        }
    }

    #[test]
    fn words_know_their_run() {
        let text = "a GitHub, xを";
        let runs: Vec<_> = words(text).map(|word| &text[word.run]).collect();
        assert_eq!(runs, ["a", "GitHub", "GitHub", "x", "を"]);
    }

    proptest! {
        #[test]
        fn words_are_disjoint_and_not_empty(text in "[aAsSß1を _.]{0,20}|\\PC{0,20}") {
            let mut end = 0;
            for word in words(&text) {
                prop_assert!(end <= word.range.start && !word.range.is_empty());
                prop_assert!(word.run.start <= word.range.start && word.range.end <= word.run.end);
                end = word.range.end;
            }
        }
    }
}
