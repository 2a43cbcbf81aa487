//! The rules that give facts to properties by the words around the facts.

use super::{
    describe::{HIGHEST, LOWEST},
    fit::{BOUNDS, has_cue, is_amount, is_beside_own_word, is_counted, is_name},
    property::{Offer, Property},
    search::Search,
};
use crate::{
    facts::{Fact, FactType, Kind},
    text::{
        canonical,
        lexicon::{PREPOSITIONS, contains},
    },
};

/// The marks at the end of a quotation.
const QUOTE_ENDS: [char; 4] = ['\'', '"', '”', '’'];

impl Search<'_, '_> {
    /// The facts behind a statement with more words of the property than of any other: "the decay
    /// rate is 0.1", "name: 'Ada'", "id 12445".
    pub(super) fn stated(&self) -> Vec<Offer> {
        let (property, reading) = (self.property, self.scope.reading);
        let follows_participle = |fact: &Fact| {
            let verb = reading.lead(fact).find(|it| !contains(PREPOSITIONS, it));
            verb.is_some_and(|it| property.has_participle(it))
        };
        let mut offers = self.offers(|fact| {
            (self.fits_best(fact) || follows_participle(fact))
                && !is_counted(property, fact, reading)
                && !self.is_bound_of_other(fact)
                && !self.is_behind_other(fact)
                && !self.is_half_said(fact)
                && !self.is_before_other(fact)
                && !self.is_object(fact)
                && !self.is_led_by_counted(fact)
                && !self.names_other(fact)
        });
        self.add_list(&mut offers);
        offers
    }

    /// Returns `true` for an amount behind a part of the name of a property that need not be there, if one that must be
    /// there may have it: "a monthly payment on a $20,000 loan" states no `down_payment`.
    fn is_half_said(&self, fact: &Fact) -> bool {
        let count = || self.property.count_words(self.scope.reading.lead(fact));
        is_amount(fact)
            && !self.property.is_wanted
            && count() < self.property.own_words.len()
            && self.has_rival(fact, |it| it.is_wanted && it.is_numeric())
    }

    /// Returns `true` for an amount without a cue, if the property is a bound that need not be there: "a bid of 4500"
    /// for `amount` instead of `max_bid`.
    pub(super) fn is_no_bound(&self, fact: &Fact) -> bool {
        let lead = || self.scope.reading.lead(fact).take(2);
        let is_said = || lead().any(|word| contains(LOWEST, word) || contains(HIGHEST, word));
        is_amount(fact)
            && !self.property.is_wanted
            && self.property.bound_cues().is_some_and(|cues| !has_cue(fact, cues))
            && !is_said()
            && self.others().any(|it| it.is_wanted && it.is_numeric())
    }

    /// The facts beside a word of the property. An array takes the list whose item stands beside the
    /// word.
    pub(super) fn beside_own_word(&self) -> Vec<Offer> {
        let (property, reading) = (self.property, self.scope.reading);
        let count = |fact: &Fact| property.count_words(reading.lead(fact));
        let mut offers = self.offers(|fact| {
            let is_beside = is_beside_own_word(property, fact, reading)
                && !self.is_beside_other_word(fact)
                && !self.is_half_said(fact)
                && !self.is_object(fact)
                && !is_counted(property, fact, reading);
            (is_beside || self.is_text_before_own_word(fact))
                && (count(fact) == 0 || self.fits_best(fact))
        });
        // "SKU-77 in warehouse B-2"
        offers.sort_by_key(|Offer { fact, .. }| {
            fact.of == FactType::Code && !property.owns(reading.beside(fact)[0])
        });
        self.add_list(&mut offers);
        offers
    }

    /// The numbers beside a word that shares its stem with a word of the property ("2 bathrooms" for
    /// `number_of_baths`), or that its description has ("within 5 miles"), but that of no other number.
    pub(super) fn beside_related_word(&self) -> Vec<Offer> {
        if !self.property.is_numeric() {
            return Vec::new();
        }
        let reading = self.scope.reading;
        let relations: [fn(&Property, &str) -> bool; 2] = [
            |it, word| it.shares_stem(word),
            |it, word| it.described_words.iter().any(|own| own == word),
        ];
        let offers = |relates: fn(&Property, &str) -> bool| {
            let is_rival = |it: &Property, word: &str| it.is_numeric() && relates(it, word);
            self.offers(|fact| {
                let before = reading.lead(fact).next();
                let mut words = reading.beside(fact)[1].into_iter().chain(before);
                let is_own = |word: &str| {
                    relates(self.property, word) && !self.others().any(|it| is_rival(it, word))
                };
                is_amount(fact) && !self.is_bound_of_other(fact) && words.any(is_own)
            })
        };
        relations.into_iter().map(offers).find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// Returns `true` for a bound such as "at least 12" if the property is not of its side, but another
    /// may be.
    pub(super) fn is_bound_of_other(&self, fact: &Fact) -> bool {
        has_cue(fact, BOUNDS)
            && match self.property.bound_cues() {
                Some(cues) => !has_cue(fact, cues),
                None => has_cue(fact, &self.scope.bound_cues),
            }
    }

    /// Returns `true` for a fact behind a word of the property that has a number of its own: "20 hours at $13".
    fn is_led_by_counted(&self, fact: &Fact) -> bool {
        let facts = self.scope.reading.facts();
        let before = facts.partition_point(|it| it.range.end <= fact.range.start);
        let Some(number) = facts[..before].iter().rev().find(|it| is_amount(it)) else {
            return false;
        };
        let mut between =
            self.scope.reading.text[number.range.end..fact.range.start].split_whitespace();
        let word = between.next().map(canonical);
        self.property.owns(word.as_deref())
            && between.next().is_some_and(|word| contains(PREPOSITIONS, word))
            && between.all(|sign| !sign.contains(char::is_alphanumeric))
    }

    /// Returns `true` for what a word of the tool is about, and not its value: "damage of car B-12" for
    /// `report_damage`.
    fn is_object(&self, fact: &Fact) -> bool {
        let before = self.scope.reading.text[..fact.range.start].split_whitespace();
        let is_led = before.rev().take(2).any(|word| contains(PREPOSITIONS, word));
        let is_tool = |word: &String| self.tool.contains(word);
        is_led && self.property.waits_for_words() && self.property.own_words.iter().any(is_tool)
    }

    /// Returns `true` if a word of another open property stands behind a fact that it may take.
    pub(super) fn is_before_other(&self, fact: &Fact) -> bool {
        let after = self.scope.reading.beside(fact)[1];
        fact.of != FactType::Quote && self.has_rival(fact, |it| it.owns(after))
    }

    /// Adds the rest of the list for an array.
    fn add_list(&self, offers: &mut Vec<Offer>) {
        let first = offers.first().filter(|_| self.property.is_array);
        let list = first.map(|first| match first.choice {
            Some(_) => self.offers(|it| it.of == FactType::Choice),
            None => self.list_around(&first.fact),
        });
        offers.extend(list.into_iter().flatten());
    }

    /// Returns `true` for a quote or a name before a word of the property, as in "the Acme brand", or for
    /// a name that ends with the word, as in "the Rotwand Hut".
    fn is_text_before_own_word(&self, fact: &Fact) -> bool {
        use Kind::{Label, Person, Title};
        let after = self.scope.reading.beside(fact)[1];
        let is_named =
            matches!(self.property.kind(), Some(Label | Person | Title)) && is_name(fact);
        let last = fact.value.rsplit_once(' ').map(|(_, last)| canonical(last));
        fact.of == FactType::Quote && self.property.owns(self.role(fact).as_deref())
            || (fact.of == FactType::Quote || is_named) && self.property.owns(after)
            || is_named && self.property.owns(last.as_deref())
    }

    /// Returns the canonical word for what a quotation is used as: "use 'Lift' as the subject".
    fn role(&self, quote: &Fact) -> Option<String> {
        let rest = self.scope.reading.text[quote.range.end..].trim_start_matches(QUOTE_ENDS);
        let rest = rest.strip_prefix(" as ")?;
        let rest = rest.strip_prefix("the ").unwrap_or(rest);
        rest.split(|c: char| !c.is_alphanumeric()).next().map(canonical)
    }

    /// Returns `true` for a fact between a word of another property and a word of this one, if the
    /// words stand before their values: "width 800 height 600", but not "2 children 3 adults".
    fn is_beside_other_word(&self, fact: &Fact) -> bool {
        let (properties, reading) = (self.properties, self.scope.reading);
        let [before, after] = reading.beside(fact);
        let is_led = reading.mark_before(fact) == "for";
        if is_led || !self.property.owns(after) || self.property.owns(before) {
            return false;
        }
        let owned = |word: Option<&str>| properties.iter().any(|it| it.owns(word));
        let mut row = reading.facts().iter().filter(|it| it.of == fact.of);
        let starts_with_word = row.next().is_some_and(|first| owned(reading.beside(first)[0]));
        let ends_with_word = row.next_back().is_some_and(|last| owned(reading.beside(last)[1]));
        self.has_rival(fact, |it| it.owns(before)) && starts_with_word && !ends_with_word
    }
}
