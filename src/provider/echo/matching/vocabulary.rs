//! The words that the rules know: generic ones, and the categories with their keywords.

use super::plural::same;

/// Of the words that say nothing about what a tool is for, those that begin as `word` does, as its
/// plural and its singular do. See also [`is_generic`].
const fn generic(word: &str) -> &'static [&'static str] {
    match word.as_bytes() {
        [b'a', ..] => &["a", "all", "an", "and", "api"],
        [b'b', ..] => &["by"],
        [b'c', ..] => &["call", "check", "current"],
        [b'd', ..] => &["data", "detail", "do"],
        [b'e', ..] => &["execute"],
        [b'f', ..] => &["fetch", "find", "for", "from", "function"],
        [b'g', ..] => &["get", "give"],
        [b'i', ..] => &["id", "in", "info"],
        [b'l', ..] => &["latest", "list", "look", "lookup"],
        [b'm', ..] => &["me", "my"],
        [b'n', ..] => &["new"],
        [b'o', ..] => &["of", "on", "or"],
        [b'p', ..] => &["perform"],
        [b'q', ..] => &["query"],
        [b'r', ..] => &["read", "retrieve", "run"],
        [b's', ..] => &["search", "set", "show"],
        [b't', ..] => &["tell", "the", "to", "tool"],
        [b'u', ..] => &["up", "use"],
        [b'v', ..] => &["view"],
        [b'w', ..] => &["with"],
        _ => &[],
    }
}

/// A subject of which tools and users speak in many words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Category {
    names: &'static [&'static str],
    /// Words that ask for a tool of the category.
    pub(super) keywords: &'static [&'static str],
    /// Whether arithmetic, such as `10+5`, asks for it too.
    pub(super) arithmetic: bool,
}

const CATEGORIES: [Category; 8] = [
    words_for(&["email"], &["email", "mail"]),
    words_for(
        &["weather"],
        &["weather", "temperature", "forecast", "climate", "rain", "sunny", "cloudy"],
    ),
    words_for(&["time"], &["time", "clock", "date"]),
    words_for(&["calendar"], &["calendar", "schedule", "appointment", "meeting", "event"]),
    words_for(&["user"], &["user", "account", "profile"]),
    words_for(&["database"], &["database", "query", "record", "sql", "search"]),
    words_for(&["file"], &["file", "document"]),
    Category {
        names: &["calculate", "calculator"],
        keywords: &["calculate", "math", "compute"],
        arithmetic: true,
    },
];

/// Words that are arithmetic before a number.
const ARITHMETIC: [&str; 4] = ["add", "subtract", "multiply", "divide"];

const fn words_for(names: &'static [&'static str], keywords: &'static [&'static str]) -> Category {
    Category { names, keywords, arithmetic: false }
}

/// Whether a lower-case word says nothing about what a tool is for.
pub(super) fn is_generic(word: &str) -> bool {
    is_number(word)
        || word.strip_prefix('v').is_some_and(is_number)
        || generic(word).iter().any(|generic| same(generic, word))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(char::is_numeric)
}

/// Whether a lower-case word is arithmetic before a number.
pub(super) fn is_arithmetic_verb(word: &str) -> bool {
    ARITHMETIC.iter().any(|verb| same(verb, word))
}

impl Category {
    /// The category of a tool whose name has these words beside the generic ones.
    pub(super) fn of<'n>(specific: impl Iterator<Item = &'n str>) -> Option<&'static Self> {
        let mut words = specific.filter(|word| !same("send", word));
        let (word, None) = (words.next()?, words.next()) else { return None };
        CATEGORIES.iter().find(|category| category.names.iter().any(|name| same(name, word)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Category, is_generic};

    #[test]
    fn generic_words() {
        for word in ["get", "details", "queries", "fetches", "v1", "v22", "2024", "the", "new"] {
            assert!(is_generic(word), "{word}");
        }
        for word in ["send", "weather", "v", "vx", "news", "gets", "s3", ""] {
            assert!(!is_generic(word), "{word}");
        }
    }

    #[test]
    fn one_specific_word_gives_the_category() {
        let category = |words: &[&'static str]| Category::of(words.iter().copied());
        assert_eq!(category(&["users"]), category(&["user"]));
        assert_eq!(category(&["send", "email"]), category(&["email"]));
        assert!(category(&["calculator"]).is_some_and(|category| category.arithmetic));
        assert_eq!(category(&["create", "user"]), None);
        assert_eq!(category(&["email", "email"]), None);
        assert_eq!(category(&["mail"]), None);
        assert_eq!(category(&[]), None);
    }
}
