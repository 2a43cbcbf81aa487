//! Text cut into words and sentences; tool names are cut the same way.

use std::ops::Range;

/// A word as it stands in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'t> {
    /// The word as written.
    pub(super) text: &'t str,
    /// All that stands between the word before, or the start of the text, and this one.
    pub(super) gap: &'t str,
}

impl Word<'_> {
    /// Whether a sentence ended before this word.
    pub(super) fn starts_sentence(&self) -> bool {
        let mut rest = self.gap.chars().peekable();
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

    /// Replaces the content of `buffer` by the word in lower case.
    pub(super) fn lower_into<'b>(&self, buffer: &'b mut String) -> &'b str {
        buffer.clear();
        push_lower(self.text, buffer);
        buffer
    }
}

/// Appends `word` in lower case.
pub(super) fn push_lower(word: &str, to: &mut String) {
    if word.is_ascii() {
        let start = to.len();
        to.push_str(word);
        to[start..].make_ascii_lowercase();
    } else {
        to.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// The words of a text, in order, but for those in the ranges that are left out.
pub(super) struct Words<'t> {
    text: &'t str,
    left_out: &'t [Range<usize>],
    at: usize,
    gap: usize,
}

impl<'t> Words<'t> {
    /// `left_out` in the order of the text, without overlaps.
    pub(super) fn new(text: &'t str, left_out: &'t [Range<usize>]) -> Self {
        Self { text, left_out, at: 0, gap: 0 }
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        loop {
            let end = self.left_out.first().map_or(self.text.len(), |range| range.start);
            if let Some(word) = next_word(&self.text[..end], self.at) {
                let gap = &self.text[self.gap..word.start];
                (self.at, self.gap) = (word.end, word.end);
                return Some(Word { text: &self.text[word], gap });
            }
            let (range, rest) = self.left_out.split_first()?;
            (self.at, self.left_out) = (range.end, rest);
        }
    }
}

fn next_word(text: &str, from: usize) -> Option<Range<usize>> {
    let mut start = from;
    let (mut before, mut length) = kind_at(text, start)?;
    while before == Kind::Other {
        start += length;
        (before, length) = kind_at(text, start)?;
    }
    let mut end = start + length;
    while let Some((kind, length)) = kind_at(text, end) {
        // Most of all.
        if before == Kind::Lower && kind == Kind::Lower {
            end += length;
            continue;
        }
        let after = || kind_at(text, end + length).map_or(Kind::Other, |(kind, _)| kind);
        if is_cut(before, kind, after) {
            break;
        }
        before = kind;
        end += length;
    }
    Some(start..end)
}

/// Whether a word ends between two characters; `after` is the one behind them.
fn is_cut(before: Kind, kind: Kind, after: impl Fn() -> Kind) -> bool {
    match (before, kind) {
        (_, Kind::Other) | (Kind::Lower, Kind::Upper) => true,
        (Kind::Caseless, kind) => kind != Kind::Caseless,
        (_, Kind::Caseless) => true,
        // The S of HTTPStatus, and of S3Status.
        (_, Kind::Upper) => after() == Kind::Lower,
        _ => false,
    }
}

/// What a character is to a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    /// A letter of a script without cases, such as CJK and Arabic.
    Caseless,
    Digit,
    Other,
}

impl Kind {
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

/// The kind and the length in bytes of the character that begins at `at`.
fn kind_at(text: &str, at: usize) -> Option<(Kind, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte.is_ascii() {
        return Some((Kind::of(char::from(byte)), 1));
    }
    let c = text[at..].chars().next()?;
    Some((Kind::of(c), c.len_utf8()))
}

/// Whether `c` is a letter of a script without cases.
pub(super) fn is_caseless(c: char) -> bool {
    Kind::of(c) == Kind::Caseless
}

#[cfg(test)]
mod tests {
    use super::Words;

    fn words(text: &str) -> Vec<String> {
        let mut lower = String::new();
        Words::new(text, &[]).map(|word| word.lower_into(&mut lower).to_owned()).collect()
    }

    fn sentences(text: &str) -> usize {
        1 + Words::new(text, &[]).filter(|word| word.starts_sentence()).count()
    }

    #[test]
    fn words_of_every_naming_convention() {
        for name in
            ["send_email", "sendEmail", "SendEmail", "send-email", "send email", "SEND_EMAIL"]
        {
            assert_eq!(words(name), ["send", "email"], "{name}");
        }
    }

    #[test]
    fn cuts_between_cases_and_scripts() {
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
    fn leaves_ranges_out() {
        let found: Vec<_> = Words::new("one two three", &[4..7, 7..7]).collect();
        assert_eq!(found.iter().map(|word| word.text).collect::<Vec<_>>(), ["one", "three"]);
        assert_eq!(found[1].gap, " two ");
    }

    #[test]
    fn sentences_end_at_breaks_and_before_white_space() {
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
