//! Splits texts and tool names into words and detects sentence ends.

use std::ops::Range;

/// A word in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    /// The word as written.
    pub(super) text: &'t str,
    /// The text between the previous word, or the start of the text, and this word.
    pub(super) separator: &'t str,
}

impl Token<'_> {
    /// Returns `true` if a sentence ends within the separator.
    pub(super) fn starts_sentence(&self) -> bool {
        let mut rest = self.separator.chars().peekable();
        while let Some(c) = rest.next() {
            let ends = match c {
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => true,
                '.' | '!' | '?' => rest.peek().is_some_and(|next| next.is_whitespace()),
                _ => false,
            };
            if ends {
                return true;
            }
        }
        false
    }

    /// Replaces the content of `buffer` with the word in lower case.
    pub(super) fn lowercase_into<'b>(&self, buffer: &'b mut String) -> &'b str {
        buffer.clear();
        push_lowercase(self.text, buffer);
        buffer
    }
}

/// Appends `word` in lower case.
pub(super) fn push_lowercase(word: &str, to: &mut String) {
    if word.is_ascii() {
        let start = to.len();
        to.push_str(word);
        to[start..].make_ascii_lowercase();
    } else {
        to.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// An iterator over the words in a text, except those in excluded ranges.
pub(super) struct Tokens<'t> {
    text: &'t str,
    excluded: &'t [Range<usize>],
    at: usize,
    separator_start: usize,
}

impl<'t> Tokens<'t> {
    /// Splits a text. The `excluded` ranges must be sorted and disjoint.
    pub(super) fn new(text: &'t str, excluded: &'t [Range<usize>]) -> Self {
        Self { text, excluded, at: 0, separator_start: 0 }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let end = self.excluded.first().map_or(self.text.len(), |range| range.start);
            if let Some(word) = next_word(&self.text[..end], self.at) {
                let separator = &self.text[self.separator_start..word.start];
                (self.at, self.separator_start) = (word.end, word.end);
                return Some(Token { text: &self.text[word], separator });
            }
            let (range, rest) = self.excluded.split_first()?;
            (self.at, self.excluded) = (range.end, rest);
        }
    }
}

/// Returns the range of the first word at or after `from`.
fn next_word(text: &str, from: usize) -> Option<Range<usize>> {
    let mut start = from;
    let (mut previous, mut length) = class_at(text, start)?;
    while previous == CharClass::Other {
        start += length;
        (previous, length) = class_at(text, start)?;
    }
    let mut end = start + length;
    while let Some((class, length)) = class_at(text, end) {
        // Check the common case first.
        if previous == CharClass::Lower && class == CharClass::Lower {
            end += length;
            continue;
        }
        let next = || class_at(text, end + length).map_or(CharClass::Other, |(class, _)| class);
        if is_boundary(previous, class, next) {
            break;
        }
        previous = class;
        end += length;
    }
    Some(start..end)
}

/// Returns `true` if a word ends before a character of class `class`, given the classes of the
/// characters next to it.
fn is_boundary(previous: CharClass, class: CharClass, next: impl Fn() -> CharClass) -> bool {
    match (previous, class) {
        (_, CharClass::Other) | (CharClass::Lower, CharClass::Upper) => true,
        (CharClass::Caseless, class) => class != CharClass::Caseless,
        (_, CharClass::Caseless) => true,
        // The S of "Status" in HTTPStatus and S3Status.
        (_, CharClass::Upper) => next() == CharClass::Lower,
        _ => false,
    }
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

/// Returns the class of the character at `at`, and the character's length in bytes.
fn class_at(text: &str, at: usize) -> Option<(CharClass, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte.is_ascii() {
        return Some((CharClass::of(char::from(byte)), 1));
    }
    let c = text[at..].chars().next()?;
    Some((CharClass::of(c), c.len_utf8()))
}

/// Returns `true` if a character is a letter of a script without case.
pub(super) fn is_caseless(c: char) -> bool {
    CharClass::of(c) == CharClass::Caseless
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    fn words(text: &str) -> Vec<String> {
        let mut lower = String::new();
        Tokens::new(text, &[]).map(|token| token.lowercase_into(&mut lower).to_owned()).collect()
    }

    fn sentences(text: &str) -> usize {
        1 + Tokens::new(text, &[]).filter(|token| token.starts_sentence()).count()
    }

    #[test]
    fn splits_names_of_every_convention() {
        for name in
            ["send_email", "sendEmail", "SendEmail", "send-email", "send email", "SEND_EMAIL"]
        {
            assert_eq!(words(name), ["send", "email"], "{name}");
        }
    }

    #[test]
    fn splits_between_cases_and_scripts() {
        let cases: [(&str, &[&str]); 12] = [
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
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn skips_excluded_ranges() {
        let found: Vec<_> = Tokens::new("one two three", &[4..7, 7..7]).collect();
        assert_eq!(found.iter().map(|token| token.text).collect::<Vec<_>>(), ["one", "three"]);
        assert_eq!(found[1].separator, " two ");
    }

    #[test]
    fn sentences_end_at_line_breaks_and_before_white_space() {
        let cases = [
            ("one two", 1),
            ("one. two", 2),
            ("one.two", 1),
            ("one... two", 2),
            ("one\ntwo", 2),
            ("one\r\ntwo", 2),
            ("one, two; three", 1),
            ("Really?! Yes.", 2),
            ("3.5 or 4. Fine", 2),
            ("one!\u{3000}two", 2),
            ("one.", 1),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }
}
