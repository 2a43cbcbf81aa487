//! Kinds of tools that users ask for in different words.

use crate::text::canonical;

/// A category: the words that put a tool into it, and the words that ask for such a tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Category {
    /// The words that may be a tool's whole name, apart from generic words and "send".
    nouns: &'static str,
    /// The other words that ask for a tool in the category. `+` is all arithmetic, such as `10-5`.
    other: &'static str,
}

const CATEGORIES: [Category; 8] = [
    category("email mail", ""),
    category("weather temperature forecast climate rain", "sunny cloudy"),
    category("time clock date", ""),
    category("calendar schedule appointment meeting event", ""),
    category("user account profile", ""),
    category("database record sql", "query search"),
    category("file document", ""),
    category("calculate calculator math", "compute +"),
];

const fn category(nouns: &'static str, other: &'static str) -> Category {
    Category { nouns, other }
}

impl Category {
    /// Returns the category that a canonical word of a name stands for.
    pub(super) fn of(word: &str) -> Option<&'static Self> {
        let is_noun = |noun| canonical(noun) == word;
        CATEGORIES.iter().find(|category| category.nouns.split(' ').any(is_noun))
    }

    /// Returns the words that ask for a tool in the category.
    pub(super) fn keywords(&self) -> impl Iterator<Item = &'static str> {
        // "calculator" is a name, but no keyword.
        let nouns = self.nouns.split(' ').chain(self.other.split_whitespace());
        nouns.filter(|word| *word != "calculator")
    }
}

#[cfg(test)]
mod tests {
    use super::Category;

    #[test]
    fn nouns_determine_the_category() {
        assert_eq!(Category::of("databas"), Category::of("record"));
        assert!(Category::of("calculator").is_some_and(|it| it.keywords().any(|word| word == "+")));
        for word in ["sunni", "search", "calendars", ""] {
            assert_eq!(Category::of(word), None, "{word}");
        }
    }
}
