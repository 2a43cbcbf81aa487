//! The names of the offered tools, split into words.

use std::ops::Range;

use super::{
    tokens::{Tokens, push_lowercase},
    word_lists::is_generic,
};

/// The names of all tools, split into lower-case words.
#[derive(Debug, Default)]
pub(super) struct ToolNames {
    /// The words of all names, without separators.
    text: String,
    words: Vec<NameWord>,
    /// For each tool, the range of its words in `words`.
    tools: Vec<Range<usize>>,
}

#[derive(Debug)]
struct NameWord {
    range: Range<usize>,
    generic: bool,
}

impl ToolNames {
    /// Splits the names of the tools, in order.
    pub(super) fn new<'t>(names: impl Iterator<Item = &'t str>) -> Self {
        let mut all = Self::default();
        names.for_each(|name| all.push(name));
        all
    }

    /// Returns the number of words in all names.
    pub(super) fn word_count(&self) -> usize {
        self.words.len()
    }

    fn push(&mut self, name: &str) {
        let first = self.words.len();
        for token in Tokens::new(name, &[]) {
            let start = self.text.len();
            push_lowercase(token.text, &mut self.text);
            let range = start..self.text.len();
            let generic = is_generic(&self.text[range.clone()]);
            self.words.push(NameWord { range, generic });
        }
        self.tools.push(first..self.words.len());
    }

    /// Iterates over the names in the order of the tools.
    pub(super) fn iter(&self) -> impl Iterator<Item = ToolName<'_>> {
        self.tools
            .iter()
            .map(|tool| ToolName { text: &self.text, words: &self.words[tool.clone()] })
    }
}

/// The name of one tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolName<'n> {
    /// The text into which the ranges in `words` point.
    text: &'n str,
    words: &'n [NameWord],
}

impl<'n> ToolName<'n> {
    /// Returns the number of words.
    pub(super) fn word_count(self) -> usize {
        self.words.len()
    }

    pub(super) fn words(self) -> impl Iterator<Item = &'n str> {
        self.words.iter().map(move |word| &self.text[word.range.clone()])
    }

    pub(super) fn is_generic(self, word: usize) -> bool {
        self.words[word].generic
    }

    /// Returns the words that are not generic. They indicate the tool's purpose.
    pub(super) fn specific_words(self) -> impl Iterator<Item = &'n str> {
        self.words().enumerate().filter(move |(at, _)| !self.is_generic(*at)).map(|(_, word)| word)
    }

    /// Returns all words joined into one, or `None` if there is at most one word.
    pub(super) fn joined(self) -> Option<&'n str> {
        match self.words {
            [first, .., last] => Some(&self.text[first.range.start..last.range.end]),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolNames;

    #[test]
    fn splits_and_joins_names() {
        let names = ToolNames::new(["getHTTPStatus", "天気", "_"].into_iter());
        let [first, second, none] = names.iter().collect::<Vec<_>>()[..] else { panic!("three") };
        assert_eq!(first.words().collect::<Vec<_>>(), ["get", "http", "status"]);
        assert_eq!(first.specific_words().collect::<Vec<_>>(), ["http", "status"]);
        assert_eq!(first.joined(), Some("gethttpstatus"));
        assert_eq!((second.word_count(), second.joined()), (1, None));
        assert_eq!((none.word_count(), none.joined()), (0, None));
    }
}
