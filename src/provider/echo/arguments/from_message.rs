//! What a message says: an e-mail address, a place, an arithmetic expression.

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

/// The first e-mail address.
pub(super) fn email(message: &str) -> Option<&str> {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Email]);
    finder.links(message).map(|link| link.as_str()).find(|address| address.is_ascii())
}

/// The capitalised words after in, near or at; else after for or to; else those that end a
/// sentence without beginning it.
pub(super) fn place(message: &str) -> Option<String> {
    let chunks = chunks(message);
    after(&chunks, &["in", "near", "at"])
        .or_else(|| after(&chunks, &["for", "to"]))
        .or_else(|| at_the_end(&chunks))
}

/// What stands between white space.
struct Chunk<'a> {
    text: &'a str,
    ends_line: bool,
}

impl<'a> Chunk<'a> {
    /// Without the punctuation around it.
    fn word(&self) -> &'a str {
        self.text.trim_matches(|char: char| !char.is_alphanumeric())
    }

    /// Punctuation follows, or the line ends.
    fn stops(&self) -> bool {
        self.ends_line || self.text.ends_with(|char: char| !char.is_alphanumeric())
    }

    /// The sentence ends.
    fn ends(&self) -> bool {
        self.ends_line || self.text.ends_with(['.', '!', '?'])
    }

    fn is_place(&self) -> bool {
        // Most of all.
        if self.text.starts_with(|char: char| char.is_ascii_lowercase()) {
            return false;
        }
        let bare = || self.word().split(['\'', '’']).next().unwrap_or_default();
        let first = self.text.chars().find(|char| char.is_alphanumeric());
        first.is_some_and(char::is_uppercase) && !NOT_PLACES.contains(&bare())
    }

    /// Whether it is this word of ASCII, and nothing stops after it.
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
        // The same but for the vertical tab, and much faster.
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

fn after(chunks: &[Chunk], prepositions: &[&str]) -> Option<String> {
    (0..chunks.len()).find_map(|index| {
        let rest = match &chunks[index + 1..] {
            [the, rest @ ..] if the.is("the") => rest,
            rest => rest,
        };
        // The rarer first: prose has many prepositions.
        let has_place = rest.first().is_some_and(Chunk::is_place);
        let is_preposition = || prepositions.iter().any(|word| chunks[index].is(word));
        if has_place && is_preposition() { run(rest) } else { None }
    })
}

/// The place that the chunks begin with.
fn run(chunks: &[Chunk]) -> Option<String> {
    let places = chunks.iter().take_while(|chunk| chunk.is_place()).count();
    let stop = chunks[..places].iter().position(Chunk::stops);
    join(&chunks[..stop.map_or(places, |stop| stop + 1)])
}

fn at_the_end(chunks: &[Chunk]) -> Option<String> {
    chunks.split_inclusive(Chunk::ends).find_map(|sentence| {
        let run_starts = |index: &usize| {
            let stopped = *index + 1 < sentence.len() && sentence[*index].stops();
            !stopped && sentence[*index].is_place()
        };
        let places = (0..sentence.len()).rev().take_while(run_starts).count();
        let start = sentence.len() - places;
        (start > 0).then(|| join(&sentence[start..]))?
    })
}

fn join(chunks: &[Chunk]) -> Option<String> {
    let words: Vec<&str> = chunks.iter().map(Chunk::word).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The first stretch of digits, operators and brackets that calculates something.
pub(super) fn expression(message: &str) -> Option<&str> {
    message
        .split(|char: char| !(char.is_ascii_digit() || "+-*/^%(). ".contains(char)))
        .map(trimmed)
        .find(|text| calculates(text))
}

/// From the first number, sign or bracket to the last number or bracket.
fn trimmed(text: &str) -> &str {
    let text = text.trim_matches(['.', ' ', '+', '*', '/', '^', '%']).trim_start_matches("- ");
    let text = text.trim_end_matches(['-', ' ', '.', '(', '+', '*', '/', '^', '%']);
    let count = |bracket| text.matches(bracket).count();
    if count('(') == count(')') { text } else { text.trim_matches(['(', ')', ' ']) }
}

fn calculates(text: &str) -> bool {
    let operator = |(index, char): (usize, char)| {
        let (before, after) = (text[..index].trim_end(), text[index + 1..].trim_start());
        "+-*/^%".contains(char)
            && before.ends_with(|char: char| char.is_ascii_digit() || char == ')')
            && after.starts_with(|char: char| char.is_ascii_digit() || "(-.".contains(char))
    };
    text.char_indices().any(operator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
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
    fn expressions() {
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
    fn addresses() {
        assert_eq!(
            email("write to <bob.b@mail.example.org>, not a@b"),
            Some("bob.b@mail.example.org")
        );
        assert_eq!(email("nobody @ home"), None);
    }
}
