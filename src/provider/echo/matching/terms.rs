//! The words that matter to any tool, numbered.

use std::{collections::BTreeMap, iter};

use super::plural::{same, stem};

/// Number of a word in [`Terms`].
pub(super) type Term = u32;

/// Words by number.
#[derive(Debug, Default)]
pub(super) struct Terms<'n> {
    words: Vec<&'n str>,
    /// From a stem to the last word that has it.
    by_stem: BTreeMap<&'n str, Term>,
    /// From a word to the one before that has the same stem.
    before: Vec<Option<Term>>,
}

impl<'n> Terms<'n> {
    /// Numbers the words; the same word gets the same number wherever it is listed.
    pub(super) fn number(listed: &[&'n str]) -> (Self, Vec<Term>) {
        let mut terms = Self::default();
        let mut known = BTreeMap::new();
        let numbers =
            listed.iter().map(|word| *known.entry(*word).or_insert_with(|| terms.add(word)));
        let numbers = numbers.collect();
        (terms, numbers)
    }

    fn add(&mut self, word: &'n str) -> Term {
        let number = as_number(self.words.len());
        self.words.push(word);
        self.before.push(self.by_stem.insert(stem(word), number));
        number
    }

    /// How many they are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Those that may be the same as `word`: its stem is theirs.
    pub(super) fn with_stem_of(&self, word: &str) -> impl Iterator<Item = Term> {
        let last = self.by_stem.get(stem(word)).copied();
        iter::successors(last, |term| self.before[*term as usize])
    }

    /// Whether a term is the same as `word`.
    pub(super) fn is_same(&self, term: Term, word: &str) -> bool {
        same(self.words[term as usize], word)
    }
}

/// A number of 32 bits keeps the lists small. A request has far fewer words and tools.
pub(super) fn as_number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Terms;

    #[test]
    fn finds_words_and_their_plurals() {
        let listed = ["users", "box", "weather", "user", "boxe", "users"];
        let (terms, numbers) = Terms::number(&listed);
        let found = |word: &str| -> Vec<&str> {
            let same = terms.with_stem_of(word).filter(|term| terms.is_same(*term, word));
            same.map(|term| terms.words[term as usize]).collect()
        };
        assert_eq!(terms.len(), 5);
        let again: Vec<_> = numbers.iter().map(|term| terms.words[*term as usize]).collect();
        assert_eq!(again, listed);
        assert_eq!(found("user"), ["user", "users"]);
        assert_eq!(found("boxes"), ["boxe", "box"]);
        assert_eq!(found("box"), ["box"]);
        assert!(found("wea").is_empty() && found("training").is_empty());
    }
}
