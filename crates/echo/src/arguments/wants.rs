//! What a tool wants to know, by its schema.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use super::describe::{Described, Description};
use crate::{
    facts::{Fact, FactType, Kind},
    text::{canonical_words, lexicon::is_telling, stem},
};

/// Maximum number of values in `enum` whose words are read.
pub(super) const MAX_CHOICES: usize = 64;
/// Maximum number of words of a description that are read.
const MAX_WORDS: usize = 64;
/// What a word counts that only describes a property.
const DESCRIBING: usize = 1;

impl Described<'_> {
    /// Returns `true` if a property may take any fact of one of some types.
    pub(crate) fn takes_any(&self, types: &[FactType]) -> bool {
        let open = self.properties.iter().filter(|it| !it.has_choices());
        open.flat_map(|it| it.meaning).any(|it| it.row.takes.iter().any(|of| types.contains(of)))
    }

    /// Returns how many properties that a call should have may take a fact of one of some types.
    pub(crate) fn count_wanted(&self, types: &[FactType]) -> usize {
        let wanted = self.wanted().filter(|it| !it.has_choices());
        wanted.filter(|it| types.iter().any(|of| it.takes(*of))).count()
    }

    /// Returns `true` if some facts and stems of words state all values that a call should have, and at least two.
    /// A text may be any words.
    pub(crate) fn is_filled(&self, facts: &[Rc<Fact>], stems: &[Cow<str>]) -> bool {
        self.wants_values() && self.filled(facts, stems, false).into_iter().all(|it| it)
    }

    /// Returns `true` if some facts and stems of words may state all values that a call should have, and at least two, if
    /// names may be lower-case words as well.
    pub(crate) fn may_be_filled(&self, facts: &[Rc<Fact>], stems: &[Cow<str>]) -> bool {
        self.wants_values() && self.fills(facts, stems)
    }

    /// Returns `true` if a call should have several values that are not all texts.
    fn wants_values(&self) -> bool {
        self.wants_several() && self.wanted().any(|it| !is_text(it))
    }

    /// Returns `true` if some facts and stems of words do not state all values that a call must have.
    pub(crate) fn lacks_values(&self, facts: &[Rc<Fact>], stems: &[Cow<str>]) -> bool {
        self.root.get("required").is_some() && !self.fills(facts, stems)
    }

    /// Returns `true` if some facts and stems of words state none of the values that a call must have, which are no texts.
    pub(crate) fn lacks_all(&self, facts: &[Rc<Fact>], stems: &[Cow<str>]) -> bool {
        let mut filled = self.filled(facts, stems, true).into_iter().peekable();
        self.root.get("required").is_some() && filled.peek().is_some() && filled.all(|it| !it)
    }

    fn fills(&self, facts: &[Rc<Fact>], stems: &[Cow<str>]) -> bool {
        self.filled(facts, stems, true).into_iter().all(|it| it)
    }

    /// Returns whether some facts and stems of words state each value that a call must have, except texts.
    fn filled(&self, facts: &[Rc<Fact>], stems: &[Cow<str>], with_words: bool) -> Vec<bool> {
        let wanted = self.wanted().filter(|it| it.meaning.is_some() && !is_text(it));
        self.filled_of(wanted.collect(), facts, stems, with_words)
    }

    fn filled_of(
        &self,
        mut wanted: Vec<&Description>,
        facts: &[Rc<Fact>],
        stems: &[Cow<str>],
        with_words: bool,
    ) -> Vec<bool> {
        // What may be many things takes what is left.
        wanted.sort_by_key(|it| it.meaning.map_or(0, |it| it.row.takes.len()));
        let mut free: Vec<_> = facts.iter().collect();
        let mut spare = stems.iter().filter(|it| !self.knows(it));
        let fill = |property: &Description| match property.has_choices() {
            true => with_words && has_short_choice(property) || is_choice_said(property, stems),
            false => {
                let ranks = free.iter().enumerate();
                let ranks = ranks.filter_map(|(at, fact)| Some((property.rank_of(fact)?, at)));
                let best = ranks.min().map(|(_, at)| free.remove(at));
                best.is_some() || with_words && property.may_be_words() && spare.next().is_some()
            }
        };
        wanted.into_iter().map(fill).collect()
    }

    /// Returns `true` for a stem of a word of the tool or of its schema.
    fn knows(&self, known: &str) -> bool {
        self.vocabulary().contains_key(known)
            || self.subject.canonical.iter().any(|word| stem(word) == known)
    }

    /// Returns the properties that a call should have.
    fn wanted(&self) -> impl Iterator<Item = &Description<'_>> + Clone {
        self.properties.iter().filter(|it| it.is_wanted)
    }

    /// Returns the stems of the telling words of the properties and of the values in `enum`.
    pub(crate) fn stems(&self) -> BTreeSet<String> {
        let stated = self.vocabulary().iter().filter(|(_, weight)| **weight > DESCRIBING);
        stated.map(|(stem, _)| stem.clone()).collect()
    }

    /// Returns how many of the values of a call, which need not all be there, some facts and stems of words state.
    pub(crate) fn count_stated(&self, facts: &[Rc<Fact>], stems: &[Cow<str>]) -> usize {
        let all = self.properties.iter().filter(|it| it.meaning.is_some() && !is_text(it));
        self.filled_of(all.collect(), facts, stems, false).into_iter().filter(|it| *it).count()
    }

    /// Returns `true` if a call should have several values.
    pub(crate) fn wants_several(&self) -> bool {
        self.wanted().nth(1).is_some()
    }

    /// Returns `true` if the only value that a call should have is among some facts, as a code or in the form that its
    /// description shows, or among the stems of words, as a listed one. If `may_be_any`, it may be of any type.
    pub(crate) fn is_identified(
        &self,
        facts: &[Rc<Fact>],
        stems: &[Cow<str>],
        may_be_any: bool,
    ) -> bool {
        let mut wanted = self.wanted();
        let Some(only) = wanted.next().filter(|_| wanted.next().is_none()) else { return false };
        let is_code = |fact: &Fact| fact.of == FactType::Code && only.kind() == Some(Kind::Id);
        let is_value = |fact: &Fact| {
            only.has_form(fact) || (may_be_any || is_code(fact)) && only.rank_of(fact).is_some()
        };
        is_choice_said(only, stems) || facts.iter().any(|fact| is_value(fact))
    }

    /// Returns how much some facts and stems of words say of the tool: a listed value that a call should have counts 4,
    /// a code in the form that a description shows 5, a word of a property or of another value 2, and one that
    /// describes a property 1, as does each value that a call should have, from the third on.
    pub(crate) fn support(&self, facts: &[Rc<Fact>], stems: &[Cow<str>]) -> usize {
        let vocabulary = self.vocabulary();
        let listed: usize = stems.iter().filter_map(|it| vocabulary.get(&**it)).sum();
        let has_form = |it: &&Description| facts.iter().any(|fact| it.has_form(fact));
        let wanted = self.wanted().count().saturating_sub(2);
        listed + 5 * self.wanted().filter(has_form).count() + wanted
    }

    /// Returns the stems of the telling words, each with what it counts.
    fn vocabulary(&self) -> &BTreeMap<String, usize> {
        self.vocabulary.get_or_init(|| self.read_vocabulary())
    }

    fn read_vocabulary(&self) -> BTreeMap<String, usize> {
        let mut vocabulary = BTreeMap::new();
        let mut add = |word: &str, weight: usize| {
            if is_telling(word) {
                let known = vocabulary.entry(stem(word).into_owned()).or_insert(0);
                *known = weight.max(*known);
            }
        };
        for it in &self.properties {
            let choice_weight = if it.is_wanted { 4 } else { 2 };
            choices(it).flatten().for_each(|word| add(&word, choice_weight));
            it.own_words.iter().for_each(|word| add(word, 2));
            let texts = it.schemas.iter().filter_map(|schema| schema["description"].as_str());
            texts.flat_map(canonical_words).take(MAX_WORDS).for_each(|word| add(&word, DESCRIBING));
        }
        vocabulary
    }

    /// Returns `true` if some stems are all words of a boolean that has several.
    pub(crate) fn has_flag(&self, stems: &[Cow<str>]) -> bool {
        let booleans = self.properties.iter().filter(|it| it.type_name == "boolean");
        booleans.map(|it| &it.own_words).any(|words| {
            words.len() > 1 && words.iter().all(|word| stems.iter().any(|it| *it == stem(word)))
        })
    }

    /// Returns `true` if some canonical words are those of a property, in any order.
    pub(crate) fn has_words(&self, words: &[&str]) -> bool {
        let is_same = |it: &Description| {
            it.words.len() == words.len()
                && it.words.iter().all(|word| words.contains(&word.as_str()))
        };
        self.properties.iter().any(is_same)
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
        self.wanted().any(|it| is_choice_said(it, stems))
    }
}

/// Returns `true` for a text that may be any words.
fn is_text(property: &Description) -> bool {
    matches!(property.kind(), Some(Kind::Text | Kind::Question))
}

/// Returns `true` if some stems are those of a value in the `enum` of a property.
fn is_choice_said(property: &Description, stems: &[Cow<str>]) -> bool {
    let is_said = |word: &String| stems.iter().any(|it| *it == stem(word));
    choices(property).any(|words| {
        // "in review"
        let mut telling = words.iter().filter(|word| is_telling(word)).peekable();
        telling.peek().is_some() && telling.all(is_said)
    })
}

/// Returns `true` if a value in the `enum` of a property has no telling word: "on", "kg".
fn has_short_choice(property: &Description) -> bool {
    choices(property).any(|words| !words.iter().any(|word| is_telling(word)))
}

/// Returns the canonical words of the texts in the `enum` of a property.
fn choices(property: &Description) -> impl Iterator<Item = Vec<String>> {
    let texts = property.choices.iter().take(MAX_CHOICES).filter_map(|it| it.as_str());
    texts.map(canonical_words)
}
