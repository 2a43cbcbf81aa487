//! The names of the tools on offer, cut into words.

use std::ops::Range;

use super::{
    vocabulary::is_generic,
    words::{Words, push_lower},
};

/// The words of all names, in lower case, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Names {
    lower: String,
    words: Vec<NameWord>,
    tools: Vec<Range<usize>>,
}

#[derive(Debug)]
struct NameWord {
    range: Range<usize>,
    generic: bool,
}

impl Names {
    /// One name a tool, in the order of the tools.
    pub(super) fn of<'t>(names: impl Iterator<Item = &'t str>) -> Self {
        let mut all = Self::default();
        names.for_each(|name| all.push(name));
        all
    }

    /// How many words all names have together.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    fn push(&mut self, name: &str) {
        let first = self.words.len();
        for word in Words::new(name, &[]) {
            let start = self.lower.len();
            push_lower(word.text, &mut self.lower);
            let range = start..self.lower.len();
            let generic = is_generic(&self.lower[range.clone()]);
            self.words.push(NameWord { range, generic });
        }
        self.tools.push(first..self.words.len());
    }

    /// The names, tool by tool.
    pub(super) fn iter(&self) -> impl Iterator<Item = Name<'_>> {
        self.tools.iter().map(|tool| Name { all: &self.lower, words: &self.words[tool.clone()] })
    }
}

/// The name of one tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'n> {
    all: &'n str,
    words: &'n [NameWord],
}

impl<'n> Name<'n> {
    /// How many words it has.
    pub(super) fn len(self) -> usize {
        self.words.len()
    }

    pub(super) fn words(self) -> impl Iterator<Item = &'n str> {
        self.words.iter().map(move |word| &self.all[word.range.clone()])
    }

    pub(super) fn is_generic(self, word: usize) -> bool {
        self.words[word].generic
    }

    /// The words that say what the tool is for.
    pub(super) fn specific(self) -> impl Iterator<Item = &'n str> {
        self.words().enumerate().filter(move |(at, _)| !self.is_generic(*at)).map(|(_, word)| word)
    }

    /// The words as one, where they are several.
    pub(super) fn joined(self) -> Option<&'n str> {
        match self.words {
            [first, .., last] => Some(&self.all[first.range.start..last.range.end]),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn knows_words_and_joined_form() {
        let names = Names::of(["getHTTPStatus", "天気", "_"].into_iter());
        let [first, second, none] = names.iter().collect::<Vec<_>>()[..] else { panic!("three") };
        assert_eq!(first.words().collect::<Vec<_>>(), ["get", "http", "status"]);
        assert_eq!(first.specific().collect::<Vec<_>>(), ["http", "status"]);
        assert_eq!(first.joined(), Some("gethttpstatus"));
        assert_eq!((second.len(), second.joined()), (1, None));
        assert_eq!((none.len(), none.joined()), (0, None));
    }
}
