//! The words of names, numbered.

use std::collections::BTreeMap;

use crate::text::{
    lexicon::{GENERIC_ENDS, contains, is_generic},
    stem,
};

/// The number of a word that matters to the offered tools, or of its stem.
pub(super) type Term = usize;

/// The words that matter to the offered tools.
#[derive(Debug, Default)]
pub(super) struct Terms {
    words: BTreeMap<String, Term>,
    /// The terms that any inflection of a word is.
    stems: BTreeMap<String, Term>,
}

impl Terms {
    /// Returns the term of a canonical word.
    pub(super) fn word(&self, word: &str) -> Option<Term> {
        self.words.get(word).copied()
    }

    /// Returns the term that the inflections of a canonical word are.
    pub(super) fn stem(&self, word: &str) -> Option<Term> {
        self.stems.get(stem(word)).copied()
    }

    /// Returns the terms that a canonical word is.
    pub(super) fn of(&self, word: &str) -> impl Iterator<Item = Term> + use<> {
        [self.word(word), self.stem(word)].into_iter().flatten()
    }

    /// Returns all words and stems with their terms.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, Term)> {
        self.words.iter().chain(&self.stems).map(|(word, term)| (word.as_str(), *term))
    }

    /// Returns the number of terms. They are counted from 0.
    pub(super) fn len(&self) -> usize {
        self.words.len() + self.stems.len()
    }

    /// Returns the term of a canonical word, which is added if necessary.
    pub(super) fn add_word(&mut self, word: String) -> Term {
        let next = self.len();
        *self.words.entry(word).or_insert(next)
    }

    /// Returns the term of the inflections of a canonical word, which is added if necessary.
    pub(super) fn add_stem(&mut self, word: &str) -> Term {
        let next = self.len();
        *self.stems.entry(stem(word).to_owned()).or_insert(next)
    }
}

/// Returns `true` if a word of a name does not indicate the purpose of the tool.
pub(super) fn is_generic_in(name: &[String], at: usize) -> bool {
    let is_end = at == 0 || at + 1 == name.len();
    is_generic(&name[at]) || is_end && contains(GENERIC_ENDS, &name[at])
}
