//! What a tool wants to know, by its schema.

use std::{borrow::Cow, collections::BTreeSet};

use super::describe::{Described, Description};
use crate::{
    facts::FactType,
    text::{canonical_words, lexicon::is_telling, stem},
};

/// Maximum number of values in `enum` whose words are read.
pub(super) const MAX_CHOICES: usize = 64;

impl Described<'_> {
    /// Returns `true` if a property may take any fact of one of some types.
    pub(crate) fn takes_any(&self, types: &[FactType]) -> bool {
        let open = self.properties.iter().filter(|it| !it.has_choices());
        open.flat_map(|it| it.meaning).any(|it| it.row.takes.iter().any(|of| types.contains(of)))
    }

    /// Returns how many properties that a call should have may take a fact of one of some types.
    pub(crate) fn count_wanted(&self, types: &[FactType]) -> usize {
        let wanted = self.properties.iter().filter(|it| it.is_wanted && !it.has_choices());
        wanted.filter(|it| types.iter().any(|of| it.takes(*of))).count()
    }

    /// Returns the stems of the telling words of the properties and of the values in `enum`.
    pub(crate) fn stems(&self) -> BTreeSet<String> {
        let choices = self.properties.iter().flat_map(choices).flatten();
        let names = self.properties.iter().flat_map(|it| &it.own_words).cloned();
        let telling = names.chain(choices).filter(|word| is_telling(word));
        telling.map(|word| stem(&word).into_owned()).collect()
    }

    /// Returns `true` if some stems are all words of a boolean that has several.
    pub(crate) fn has_flag(&self, stems: &[Cow<str>]) -> bool {
        let booleans = self.properties.iter().filter(|it| it.type_name == "boolean");
        booleans.map(|it| &it.own_words).any(|words| {
            words.len() > 1 && words.iter().all(|word| stems.iter().any(|it| *it == stem(word)))
        })
    }

    /// Returns `true` if some canonical words are all those of a property.
    pub(crate) fn has_name(&self, words: &[&str]) -> bool {
        self.properties.iter().any(|it| it.words == words)
    }

    /// Returns `true` if a canonical word is one of a number.
    pub(crate) fn counts(&self, word: &str) -> bool {
        self.properties.iter().any(|it| it.is_numeric() && it.owns(Some(word)))
    }

    /// Returns `true` if some words are among those of a value of several words in `enum`.
    pub(crate) fn has_in_choice(&self, words: [&str; 2]) -> bool {
        let mut choices = self.properties.iter().flat_map(choices);
        choices.any(|choice| choice.windows(2).any(|pair| pair == words))
    }

    /// Returns `true` if some stems are those of a value in the `enum` of a property that a call should have.
    pub(crate) fn has_choice(&self, stems: &[Cow<str>]) -> bool {
        let wanted = self.properties.iter().filter(|it| it.is_wanted);
        wanted
            .flat_map(choices)
            .filter(|words| !words.is_empty())
            .any(|words| words.iter().all(|word| stems.iter().any(|it| *it == stem(word))))
    }
}

/// Returns the canonical words of the texts in the `enum` of a property.
fn choices(property: &Description) -> impl Iterator<Item = Vec<String>> {
    let texts = property.choices.iter().take(MAX_CHOICES).filter_map(|it| it.as_str());
    texts.map(canonical_words)
}
