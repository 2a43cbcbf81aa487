//! Lists of generic words and of tool categories with their keywords.

use super::plural::is_same_word;

/// Returns the generic words with the same first letter as `word`. See [`is_generic`].
const fn generic_words(word: &str) -> &'static [&'static str] {
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

/// A kind of tool that users ask for in different words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Category {
    /// Words in a tool's name that put the tool into the category.
    names: &'static [&'static str],
    /// Words that ask for a tool in the category.
    pub(super) keywords: &'static [&'static str],
    /// Whether arithmetic such as `10+5` also asks for a tool in the category.
    pub(super) arithmetic: bool,
}

const CATEGORIES: [Category; 8] = [
    category(&["email"], &["email", "mail"]),
    category(
        &["weather"],
        &["weather", "temperature", "forecast", "climate", "rain", "sunny", "cloudy"],
    ),
    category(&["time"], &["time", "clock", "date"]),
    category(&["calendar"], &["calendar", "schedule", "appointment", "meeting", "event"]),
    category(&["user"], &["user", "account", "profile"]),
    category(&["database"], &["database", "query", "record", "sql", "search"]),
    category(&["file"], &["file", "document"]),
    Category {
        names: &["calculate", "calculator"],
        keywords: &["calculate", "math", "compute"],
        arithmetic: true,
    },
];

/// Verbs that form arithmetic with a number after them.
const ARITHMETIC_VERBS: [&str; 4] = ["add", "subtract", "multiply", "divide"];

const fn category(names: &'static [&'static str], keywords: &'static [&'static str]) -> Category {
    Category { names, keywords, arithmetic: false }
}

/// Returns `true` if a lower-case word does not indicate a tool's purpose.
pub(super) fn is_generic(word: &str) -> bool {
    is_number(word)
        || word.strip_prefix('v').is_some_and(is_number)
        || generic_words(word).iter().any(|generic| is_same_word(generic, word))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(char::is_numeric)
}

/// Returns `true` if a lower-case word forms arithmetic with a number after it.
pub(super) fn is_arithmetic_verb(word: &str) -> bool {
    ARITHMETIC_VERBS.iter().any(|verb| is_same_word(verb, word))
}

impl Category {
    /// Returns the category of a tool, given the words of its name that are not generic.
    pub(super) fn of<'n>(specific: impl Iterator<Item = &'n str>) -> Option<&'static Self> {
        let mut words = specific.filter(|word| !is_same_word("send", word));
        let (word, None) = (words.next()?, words.next()) else { return None };
        CATEGORIES
            .iter()
            .find(|category| category.names.iter().any(|name| is_same_word(name, word)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Category, is_generic};

    #[test]
    fn recognizes_generic_words() {
        for word in ["get", "details", "queries", "fetches", "v1", "v22", "2024", "the", "new"] {
            assert!(is_generic(word), "{word}");
        }
        for word in ["send", "weather", "v", "vx", "news", "gets", "s3", ""] {
            assert!(!is_generic(word), "{word}");
        }
    }

    #[test]
    fn one_specific_word_determines_the_category() {
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
