//! Extracts e-mail addresses, places and arithmetic expressions from a message.

use linkify::{LinkFinder, LinkKind};

const NOT_PLACES: [&str; 20] = [
    "I",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Returns the first e-mail address that is ASCII.
pub(super) fn email(message: &str) -> Option<&str> {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Email]);
    finder.links(message).map(|link| link.as_str()).find(|address| address.is_ascii())
}

/// Returns the first run of capitalized words after "in", "near" or "at". If there is none, looks
/// after "for" and "to", and finally at the end of any sentence that has other words before the
/// run.
pub(super) fn place(message: &str) -> Option<String> {
    let chunks = chunks(message);
    place_after(&chunks, &["in", "near", "at"])
        .or_else(|| place_after(&chunks, &["for", "to"]))
        .or_else(|| place_at_sentence_end(&chunks))
}

/// A run of characters without whitespace.
struct Chunk<'a> {
    text: &'a str,
    ends_line: bool,
}

impl<'a> Chunk<'a> {
    /// Returns the text without surrounding punctuation.
    fn word(&self) -> &'a str {
        self.text.trim_matches(|char: char| !char.is_alphanumeric())
    }

    /// Returns `true` if punctuation or the end of the line follows the word.
    fn ends_phrase(&self) -> bool {
        self.ends_line || self.text.ends_with(|char: char| !char.is_alphanumeric())
    }

    /// Returns `true` if the sentence ends here.
    fn ends_sentence(&self) -> bool {
        self.ends_line || self.text.ends_with(['.', '!', '?'])
    }

    fn is_place(&self) -> bool {
        // Reject lower-case words first, because most words are lower case.
        if self.text.starts_with(|char: char| char.is_ascii_lowercase()) {
            return false;
        }
        let bare = || self.word().split(['\'', '’']).next().unwrap_or_default();
        let first = self.text.chars().find(|char| char.is_alphanumeric());
        first.is_some_and(char::is_uppercase) && !NOT_PLACES.contains(&bare())
    }

    /// Returns `true` if this is the ASCII word `word` in any case, with neither punctuation nor
    /// the end of the line after it.
    fn is(&self, word: &str) -> bool {
        let Some(start) = self.text.len().checked_sub(word.len()) else { return false };
        let same = |(one, other): (u8, u8)| one.eq_ignore_ascii_case(&other);
        self.text.bytes().rev().zip(word.bytes().rev()).all(same)
            && !self.text[..start].contains(char::is_alphanumeric)
            && !self.ends_line
    }
}

fn chunks(message: &str) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let chunk = |text| Chunk { text, ends_line: false };
    for line in message.lines() {
        // `split_ascii_whitespace` is much faster and differs only for the vertical tab.
        if line.is_ascii() && !line.contains('\x0b') {
            chunks.extend(line.split_ascii_whitespace().map(chunk));
        } else {
            chunks.extend(line.split_whitespace().map(chunk));
        }
        if let Some(last) = chunks.last_mut() {
            last.ends_line = true;
        }
    }
    chunks
}

fn place_after(chunks: &[Chunk], prepositions: &[&str]) -> Option<String> {
    (0..chunks.len()).find_map(|index| {
        let rest = match &chunks[index + 1..] {
            [the, rest @ ..] if the.is("the") => rest,
            rest => rest,
        };
        // Check for a place first: capitalized words are rarer than prepositions.
        let has_place = rest.first().is_some_and(Chunk::is_place);
        let is_preposition = || prepositions.iter().any(|word| chunks[index].is(word));
        if has_place && is_preposition() { leading_place(rest) } else { None }
    })
}

/// Returns the place at the start of the chunks.
fn leading_place(chunks: &[Chunk]) -> Option<String> {
    let places = chunks.iter().take_while(|chunk| chunk.is_place()).count();
    let end = chunks[..places].iter().position(Chunk::ends_phrase);
    join(&chunks[..end.map_or(places, |end| end + 1)])
}

/// Finds the first sentence that ends with a place after other words, and returns the place.
fn place_at_sentence_end(chunks: &[Chunk]) -> Option<String> {
    chunks.split_inclusive(Chunk::ends_sentence).find_map(|sentence| {
        let continues_place = |index: &usize| {
            let is_cut = *index + 1 < sentence.len() && sentence[*index].ends_phrase();
            !is_cut && sentence[*index].is_place()
        };
        let places = (0..sentence.len()).rev().take_while(continues_place).count();
        let start = sentence.len() - places;
        (start > 0).then(|| join(&sentence[start..]))?
    })
}

fn join(chunks: &[Chunk]) -> Option<String> {
    let words: Vec<&str> = chunks.iter().map(Chunk::word).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the first run of digits, operators and brackets that contains an operation.
pub(super) fn expression(message: &str) -> Option<&str> {
    message
        .split(|char: char| !(char.is_ascii_digit() || "+-*/^%(). ".contains(char)))
        .map(trim_expression)
        .find(|text| has_operation(text))
}

/// Trims a run so that it starts with a number, sign or bracket and ends with a number or bracket.
fn trim_expression(text: &str) -> &str {
    let text = text.trim_matches(['.', ' ', '+', '*', '/', '^', '%']).trim_start_matches("- ");
    let text = text.trim_end_matches(['-', ' ', '.', '(', '+', '*', '/', '^', '%']);
    let count = |bracket| text.matches(bracket).count();
    if count('(') == count(')') { text } else { text.trim_matches(['(', ')', ' ']) }
}

/// Returns `true` if any operator has operands on both sides.
fn has_operation(text: &str) -> bool {
    let is_operation = |(index, char): (usize, char)| {
        let (before, after) = (text[..index].trim_end(), text[index + 1..].trim_start());
        "+-*/^%".contains(char)
            && before.ends_with(|char: char| char.is_ascii_digit() || char == ')')
            && after.starts_with(|char: char| char.is_ascii_digit() || "(-.".contains(char))
    };
    text.char_indices().any(is_operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracts_places() {
        for (message, expected) in [
            ("What's the weather in San Francisco?", "San Francisco"),
            ("Get weather and time for San Francisco and calculate 10+5", "San Francisco"),
            ("Fly to Rome on Monday, then in Paris, France", "Paris"),
            ("Is it cold in the Netherlands in May?", "Netherlands"),
            ("In May, what is it like near New York City today?", "New York City"),
            ("At 5 I go to Lima", "Lima"),
            ("Hello. Weather of Oslo! thanks", "Oslo"),
            ("weather of Paris\nplease", "Paris"),
            ("Compare London, Paris", "Paris"),
            ("weather for Zürich", "Zürich"),
            ("weather in IN", "IN"),
        ] {
            assert_eq!(place(message).as_deref(), Some(expected), "{message}");
        }
        for message in
            ["", "in", "in the", "New York", "what do I do in May", "the end I", "in I'm"]
        {
            assert_eq!(place(message), None, "{message}");
        }
    }

    #[test]
    fn extracts_expressions() {
        for (message, expected) in [
            ("calculate 10+5", "10+5"),
            ("What is (2 + 3) * 4?", "(2 + 3) * 4"),
            ("in 2024 take 3 - -4.", "3 - -4"),
            ("1. Calculate 2^8 - 1.", "2^8 - 1"),
            ("twice (see 2+2) now", "2+2"),
            ("-3 * 2", "-3 * 2"),
        ] {
            assert_eq!(expression(message), Some(expected), "{message}");
        }
        for message in ["", "5% of 20", "a - b", "no 7", "+++", "(((", "é + ü"] {
            assert_eq!(expression(message), None, "{message}");
        }
    }

    #[test]
    fn extracts_email_addresses() {
        assert_eq!(
            email("write to <bob.b@mail.example.org>, not a@b"),
            Some("bob.b@mail.example.org")
        );
        assert_eq!(email("nobody @ home"), None);
    }
}
