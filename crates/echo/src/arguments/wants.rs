//! What a tool wants to know, by its schema.

use std::{borrow::Cow, collections::BTreeSet, rc::Rc};

use super::describe::{Described, Description};
use crate::{
    facts::{Fact, FactType, Kind},
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

    /// Returns `true` if some facts and stems of words state all values that a call should have, and at least two.
    /// A text may be any words.
    pub(crate) fn is_filled(&self, facts: &[Rc<Fact>], stems: &[Cow<str>]) -> bool {
        let is_text = |it: &Description| matches!(it.kind(), Some(Kind::Text | Kind::Question));
        let wanted = self.properties.iter().filter(|it| it.is_wanted && it.meaning.is_some());
        let (texts, mut wanted): (Vec<_>, Vec<_>) = wanted.partition(|it| is_text(it));
        // What may be many things takes what is left.
        wanted.sort_by_key(|it| it.meaning.map_or(0, |it| it.row.takes.len()));
        let mut free: Vec<_> = facts.iter().map(|it| it.of).collect();
        let mut fill = |property: &&Description| match property.has_choices() {
            true => is_choice_said(property, stems),
            false => {
                let fact = free.iter().position(|of| property.takes(*of));
                fact.map(|at| free.remove(at)).is_some()
            }
        };
        !wanted.is_empty() && texts.len() + wanted.len() > 1 && wanted.iter().all(&mut fill)
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
        let mut wanted = self.properties.iter().filter(|it| it.is_wanted);
        wanted.any(|it| is_choice_said(it, stems))
    }
}

/// Returns `true` if some stems are those of a value in the `enum` of a property.
fn is_choice_said(property: &Description, stems: &[Cow<str>]) -> bool {
    choices(property)
        .filter(|words| !words.is_empty())
        .any(|words| words.iter().all(|word| stems.iter().any(|it| *it == stem(word))))
}

/// Returns the canonical words of the texts in the `enum` of a property.
fn choices(property: &Description) -> impl Iterator<Item = Vec<String>> {
    let texts = property.choices.iter().take(MAX_CHOICES).filter_map(|it| it.as_str());
    texts.map(canonical_words)
}
