//! The search for the fact of a property in a part of a message.

use std::{cmp::Reverse, ops::Range, rc::Rc};

use super::{
    fit::{is_age, is_amount, is_version},
    property::{Offer, Property},
};
use crate::{
    facts::{Fact, FactType, Kind, Reading},
    text::{
        canonical,
        lexicon::{PEOPLE, PREPOSITIONS, PRICES, contains, is_generic},
        stem,
    },
};

/// Maximum number of words from a number to the word of what it counts.
const MAX_COUNTED: usize = 4;
/// Maximum number of bytes behind a number that are read for this.
const MAX_PHRASE: usize = 128;
/// Words for what a search finds, in canonical form.
const RESULTS: &str = "result entri hit match";
/// Maximum number of number words that are looked at.
const MAX_COUNTS: usize = 8;
/// Maximum number of bytes between a number of things and what is said of them.
const MAX_COUNT_DISTANCE: usize = 256;

/// How well the name of a property fits the words before a fact: the number of its words that stand
/// there, then the fewest other words.
type Fit = (usize, Reverse<usize>);

/// A part of a message.
pub(super) struct Scope<'r> {
    pub(super) reading: &'r Reading,
    pub(super) range: Range<usize>,
    /// The parts of the message that properties have taken.
    pub(super) taken: Vec<Range<usize>>,
    /// The indexes of the properties that had no value before this part of the message.
    open: Vec<usize>,
    /// The cues of all bounds.
    pub(super) bound_cues: String,
}

impl<'r> Scope<'r> {
    /// Creates a scope of a part of a message.
    pub(super) fn new(reading: &'r Reading, properties: &[Property], range: Range<usize>) -> Self {
        let numbers = properties.iter().filter(|it| it.is_numeric());
        let bound_cues = numbers.filter_map(|it| it.bound_cues()).collect::<Vec<_>>().join(" ");
        let open = properties.iter().enumerate().filter(|(_, it)| it.is_open());
        let open = open.map(|(index, _)| index).collect();
        Self { reading, range, taken: counts(reading, properties), open, bound_cues }
    }

    pub(super) fn is_free(&self, fact: &Fact) -> bool {
        let (start, end) = (fact.range.start, fact.range.end);
        self.range.contains(&start)
            && self.taken.iter().all(|taken| taken.end <= start || end <= taken.start)
    }

    /// Returns what a property may take from this part of the message.
    pub(super) fn all_offers<'p>(&self, property: &'p Property) -> impl Iterator<Item = &'p Offer> {
        property.offers.iter().filter(|offer| self.range.contains(&offer.fact.range.start))
    }
}

/// The search for the fact of a property.
pub(super) struct Search<'s, 'a> {
    /// All properties of the call.
    pub(super) properties: &'s [Property<'a>],
    pub(super) property: &'s Property<'a>,
    pub(super) scope: &'s Scope<'s>,
    /// The words of the tool's name.
    pub(super) tool: &'s [String],
}

impl Search<'_, '_> {
    /// Returns the suitable offers whose facts are not taken.
    pub(super) fn offers(&self, is_suitable: impl Fn(&Fact) -> bool) -> Vec<Offer> {
        let is_allowed = |fact: &Fact| {
            self.scope.is_free(fact)
                && is_suitable(fact)
                && !self.is_version_of_other(fact)
                && !self.is_no_bound(fact)
                && !self.counts_others(fact)
                && !self.is_of_other_kind(fact)
                && !self.has_form_of_other(fact)
                && !self.lacks_form(fact)
        };
        self.property.offers.iter().filter(|it| is_allowed(&it.fact)).cloned().collect()
    }

    /// Returns `true` for a version if another open property is one: "the payments service 1.8.0".
    fn is_version_of_other(&self, fact: &Fact) -> bool {
        let is_version_property = |it: &Property| it.kind() == Some(Kind::Version);
        is_version(fact)
            && !is_version_property(self.property)
            && self.has_rival(fact, is_version_property)
    }

    /// Returns `true` for a code in the form that the description of another property shows.
    fn has_form_of_other(&self, fact: &Fact) -> bool {
        fact.of == FactType::Code
            && !self.property.has_form(fact)
            && self.has_rival(fact, |it| it.has_form(fact))
    }

    /// Returns `true` for a code or a number if another is in the form that the description shows.
    fn lacks_form(&self, fact: &Fact) -> bool {
        let is_taken =
            |it: &Fact| self.scope.taken.iter().any(|taken| taken.contains(&it.range.start));
        let has_form = |it: &Offer| self.property.has_form(&it.fact) && !is_taken(&it.fact);
        self.property.shown.code.is_some()
            && matches!(fact.of, FactType::Code | FactType::Number | FactType::Capitals)
            && !self.property.has_form(fact)
            && self.property.offers.iter().any(has_form)
    }

    /// Returns `true` for the month or the percentage that another property is: "up to 90%" for `max_power`.
    pub(super) fn is_of_other_kind(&self, fact: &Fact) -> bool {
        let is_month = |it: &Offer| it.fact.of == FactType::Month && it.fact.range == fact.range;
        // "2026-05"
        let may_be_month = fact.value.as_bytes().get(4) == Some(&b'-') && fact.value.len() == 7;
        match fact.of {
            FactType::Code if may_be_month => {
                self.properties.iter().any(|it| it.offers.iter().any(is_month))
            }
            FactType::Number if is_age(fact, self.scope.reading) => {
                !self.property.has_word("age")
                    && self.properties.iter().any(|it| it.has_word("age"))
            }
            FactType::Share if self.property.kind() == Some(Kind::Number) => {
                self.has_rival(fact, |it| it.kind() == Some(Kind::Share))
            }
            _ => false,
        }
    }

    /// Returns `true` for a number of things, which is no price: "at most 32 players" for `entry_fee`.
    fn counts_others(&self, fact: &Fact) -> bool {
        let is_price = fact.of == FactType::Number && self.property.has_any_word(PRICES);
        let is_counted = |word: &String| {
            self.is_of_tool(word)
                || contains(PEOPLE, word)
                || contains(RESULTS, word)
                || self.others().any(|it| it.is_numeric() && it.owns(Some(word)))
        };
        is_price && counted(&self.scope.reading.text[fact.range.end..]).any(|it| is_counted(&it))
    }

    /// Returns `true` if a canonical word is one of the tool's name that says what the tool is for.
    pub(super) fn is_of_tool(&self, word: &str) -> bool {
        !is_generic(word) && self.tool.iter().any(|it| it == word)
    }

    /// Returns `true` if a canonical word shares its stem with one of the tool's name.
    pub(super) fn shares_tool_stem(&self, word: &str) -> bool {
        self.tool.iter().any(|it| stem(it) == stem(word))
    }

    /// Returns the other open properties.
    pub(super) fn others(&self) -> impl Iterator<Item = &Property<'_>> {
        self.properties.iter().filter(|it| it.is_open() && it.path != self.property.path)
    }

    /// Returns `true` if another open property that is suitable may take a fact.
    pub(super) fn has_rival(&self, fact: &Fact, is_suitable: impl Fn(&Property) -> bool) -> bool {
        self.others().any(|it| is_suitable(it) && self.may_take(it, fact))
    }

    /// Returns `true` if the words before a fact fit the name of the property, and no other name better.
    pub(super) fn fits_best(&self, fact: &Fact) -> bool {
        let fit = |property: &Property| -> Fit {
            let words = property.count_words(self.scope.reading.lead(fact));
            (words, Reverse(property.words.len()))
        };
        let own = fit(self.property);
        let open = self.scope.open.iter().map(|index| &self.properties[*index]);
        own.0 > 0 && open.filter(|it| it.takes(fact.of)).all(|it| own >= fit(it))
    }

    pub(super) fn may_take(&self, property: &Property, fact: &Fact) -> bool {
        let mut offers = self.scope.all_offers(property);
        (property.takes(fact.of) || !is_amount(fact))
            && offers.any(|offer| offer.fact.range == fact.range)
    }
}

/// Returns the first canonical words behind a number, up to a preposition or a break.
pub(super) fn counted(rest: &str) -> impl Iterator<Item = String> {
    let rest = &rest[..rest.floor_char_boundary(MAX_PHRASE)];
    let phrase = rest.split([',', '.', ';', ':', '(']).next().unwrap_or(rest);
    let words = phrase.split_whitespace().take(MAX_COUNTED);
    words.take_while(|word| *word == "of" || !contains(PREPOSITIONS, word)).map(canonical)
}

/// Returns the number words that are no values: "two circles, one with a radius of 5 and …".
fn counts(reading: &Reading, properties: &[Property]) -> Vec<Range<usize>> {
    let is_word = |fact: &Fact| reading.text[fact.range.clone()].starts_with(char::is_alphabetic);
    let numbers = || reading.facts().iter().filter(|it| it.of == FactType::Number);
    let is_count = |fact: &&Rc<Fact>| {
        let mut next = reading.text[fact.range.end..].split_whitespace().take(2);
        let near = fact.range.end..fact.range.end + MAX_COUNT_DISTANCE;
        let later = numbers().filter(|it| near.contains(&it.range.start) && !is_word(it)).count();
        fact.value.parse().is_ok_and(|count: usize| later >= count)
            && next.any(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()).ends_with('s'))
            && !properties.iter().any(|it| it.owns(reading.beside(fact)[1]))
    };
    let counts = numbers().filter(|it| is_word(it)).take(MAX_COUNTS).filter(is_count);
    counts.map(|it| it.range.clone()).collect()
}
