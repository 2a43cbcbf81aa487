//! Lower-case nouns that may be the only text that must be there: "250 mg amoxicillin", "lavender plants".

use std::{ops::Range, sync::LazyLock};

use regex::{Captures, Regex};

use super::search::Search;
use crate::{
    facts::{Fact, compile},
    text::{
        canonical,
        lexicon::{AMOUNT_UNITS, CLAUSE_WORDS, OWN_TEXTS, PHRASE_ENDS, contains, is_telling},
        words,
    },
};

/// Words of properties for how much of something there is, in canonical form.
const QUANTITIES: &str = "quantiti qty count copi";

impl Search<'_, '_> {
    /// Returns the lower-case words behind a number with a unit: "250 mg amoxicillin".
    pub(super) fn behind_unit(&self) -> Option<Fact> {
        let word = BEHIND_UNIT.captures(self.text())?.get(1)?.start();
        let phrases = self.phrases_left(self.scope.range.start + word);
        phrases.into_iter().next().map(|offer| Fact::clone(&offer.fact))
    }

    /// Returns the lower-case words behind the number that counts them: "Lend 3 laptops to Ada".
    pub(super) fn behind_count(&self) -> Option<Fact> {
        let counts =
            self.properties.iter().filter(|it| it.is_wanted && it.has_any_word(QUANTITIES));
        let numbers = counts.filter_map(|it| it.fact.as_ref()).map(|fact| fact.range.end);
        let mut phrases =
            numbers.filter(|end| self.scope.range.contains(end)).map(|end| self.phrases_left(end));
        let first = phrases.find_map(|it| it.into_iter().next())?;
        // "30 tablets", if the number is that of tablets
        let unit = canonical(&first.fact.value);
        if self.properties.iter().any(|it| it.described_words.contains(&unit)) {
            return None;
        }
        first.fact.value.starts_with(char::is_lowercase).then(|| Fact::clone(&first.fact))
    }

    /// Returns the words before "in" and a word of the tool: "Do we have rabies vaccine in stock?"
    pub(super) fn in_tool_word(&self) -> Option<Fact> {
        let (text, start) = (self.text(), self.scope.range.start);
        let is_tool = |it: &Captures| self.is_of_tool(&canonical(&it["tool"]));
        let words = IN_WORD.captures_iter(text).find(is_tool)?.name("words")?;
        Some(self.scope.reading.phrase(start + words.start()..start + words.end()))
    }

    /// Returns a lower-case word beside a word of the property: "lavender plants" for `plant_name`, "the
    /// medication prednisolone".
    pub(super) fn beside_own_noun(&self) -> Option<Fact> {
        let (text, start, reading) = (self.text(), self.scope.range.start, self.scope.reading);
        let words: Vec<_> = words(text).map(|it| it.range).collect();
        let shifted = |word: &Range<usize>| start + word.start..start + word.end;
        let is_own = |word: &Range<usize>| {
            let is_whole = !text[word.end..].starts_with(['-', '_']);
            is_whole && self.property.owns(Some(&canonical(&text[word.clone()])))
        };
        let is_value = |word: &Range<usize>| {
            let (written, form) = (&text[word.clone()], canonical(&text[word.clone()]));
            written.starts_with(char::is_lowercase)
                && is_telling(&form)
                && !self.is_of_tool(&form)
                && !self.property.owns(Some(&form))
                && ![CLAUSE_WORDS, PHRASE_ENDS].iter().any(|list| contains(list, written))
                && reading.fact_in(&shifted(word)).is_none()
        };
        let mut pairs = words.windows(2).filter(|pair| &text[pair[0].end..pair[1].start] == " ");
        let is_led = |own: &Range<usize>| text[..own.start].ends_with("the ");
        let value = |pair: &[Range<usize>]| match pair {
            [value, own] if is_own(own) && is_value(value) => Some(value.clone()),
            [own, value] if is_own(own) && is_led(own) && is_value(value) => Some(value.clone()),
            _ => None,
        };
        Some(reading.phrase(shifted(&pairs.find_map(value)?)))
    }

    /// Returns where the object of the request may start, unless the property tells of it: "prescribe
    /// gabapentin 100 mg".
    pub(super) fn behind_verb(&self) -> Vec<usize> {
        let is_own_text = self.property.has_any_word(OWN_TEXTS);
        let is_verb = |form: &str| {
            let is_tool = self.tool.first().is_some_and(|verb| verb == form);
            is_tool && (!is_own_text || form == "report")
        };
        if is_own_text {
            return self.behind_words(is_verb).collect();
        }
        self.behind_words(is_verb).chain(self.further_clause()).collect()
    }
}

/// A word behind a number with a unit.
static BEHIND_UNIT: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(r"\d ?(?:{}) (?:of )?([a-z])", AMOUNT_UNITS.replace(' ', "|")))
});

/// What is or is had, "in", and a word.
static IN_WORD: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(?i:(?:have|is|are)(?: (?:there|any|enough|at least|more than|\d+|the|some))*|how (?:much|many)) (?<words>[a-z]+(?: [a-z]+){0,3}?)(?: (?:do|is|are) (?:we|you|there|left)(?: still)?(?: have| left)?)? in (?<tool>[a-z]+)",
    )
});
