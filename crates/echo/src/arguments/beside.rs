//! The rules that give facts to properties by the words around the facts.

use std::cmp::Reverse;

use super::{
    fit::{BOUNDS, has_cue, is_amount, is_beside_own_word, is_counted, is_name},
    property::{Offer, Property},
    rules::Search,
};
use crate::facts::{Fact, FactType, Kind};

impl Search<'_, '_> {
    /// The facts behind a statement with more words of the property than of any other: "the decay
    /// rate is 0.1", "name: 'Ada'", "id 12445".
    pub(super) fn stated(&self) -> Vec<Offer> {
        let (property, reading) = (self.property, self.scope.reading);
        let mut offers = self.offers(|fact| {
            let lead = reading.lead(fact);
            let is_id = || property.kind() == Some(Kind::Id) && lead.words[0] == "id";
            property.count_words(&lead.words) > 0
                && (lead.is_explicit || fact.of == FactType::Quote || is_id())
                && !is_counted(property, fact, reading)
                && !self.has_rival(fact, |it| self.fit(it, fact) >= self.fit(property, fact))
                && !self.is_bound_of_other(fact)
                && !self.is_before_other(fact)
        });
        self.add_list(&mut offers);
        offers
    }

    /// The facts beside a word of the property. An array takes the list whose item stands beside the
    /// word.
    pub(super) fn beside_own_word(&self) -> Vec<Offer> {
        let (property, reading) = (self.property, self.scope.reading);
        let count = |fact: &Fact| property.count_words(&reading.lead(fact).words);
        let mut offers = self.offers(|fact| {
            let is_beside = is_beside_own_word(property, fact, reading)
                && !self.is_beside_other_word(fact)
                && !is_counted(property, fact, reading);
            let fits_better = |it: &Property| self.fit(it, fact) > self.fit(property, fact);
            (is_beside || self.is_text_before_own_word(fact))
                && (count(fact) == 0 || !self.has_rival(fact, fits_better))
        });
        // "SKU-77 in warehouse B-2"
        offers.sort_by_key(|Offer { fact, .. }| {
            let is_behind = fact.of != FactType::Code || property.owns(reading.beside(fact)[0]);
            (!is_behind, Reverse(count(fact).max(1)))
        });
        self.add_list(&mut offers);
        offers
    }

    /// The numbers beside a word that shares its stem with a word of the property ("2 bathrooms" for
    /// `number_of_baths`), or that its description has ("within 5 miles"), but that of no other number.
    pub(super) fn beside_related_word(&self) -> Vec<Offer> {
        let reading = self.scope.reading;
        let offers = |relates: fn(&Property, &str) -> bool| {
            let is_own = |word: &str| {
                relates(self.property, word)
                    && !self.others().any(|it| it.is_numeric() && relates(it, word))
            };
            self.offers(|fact| {
                let before = reading.lead(fact).words.first().map(String::as_str);
                let mut words = reading.beside(fact)[1].into_iter().chain(before);
                is_amount(fact) && !self.is_bound_of_other(fact) && words.any(is_own)
            })
        };
        let by_stem = |it: &Property, word: &str| it.shares_stem(word);
        let by_description =
            |it: &Property, word: &str| it.described_words.iter().any(|own| own == word);
        let relations: &[fn(&Property, &str) -> bool] = &[by_stem, by_description];
        let mut offered =
            relations.iter().filter(|_| self.property.is_numeric()).map(|it| offers(*it));
        offered.find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// Returns `true` for a bound such as "at least 12" if the property is not of its side, but another
    /// may be.
    pub(super) fn is_bound_of_other(&self, fact: &Fact) -> bool {
        has_cue(fact, BOUNDS)
            && match self.property.bound_cues() {
                Some(cues) => !has_cue(fact, cues),
                None => self
                    .has_rival(fact, |it| it.bound_cues().is_some_and(|cues| has_cue(fact, cues))),
            }
    }

    /// Returns `true` if a word of another open property stands behind a fact that it may take.
    pub(super) fn is_before_other(&self, fact: &Fact) -> bool {
        let after = self.scope.reading.beside(fact)[1];
        fact.of != FactType::Quote && self.has_rival(fact, |it| it.owns(after))
    }

    /// Returns how well the words before a fact fit the name of a property.
    fn fit(&self, property: &Property, fact: &Fact) -> (usize, Reverse<usize>) {
        let lead = &self.scope.reading.lead(fact).words;
        (property.count_words(lead), Reverse(property.words.len()))
    }

    /// Adds the rest of the list for an array.
    fn add_list(&self, offers: &mut Vec<Offer>) {
        let Some(first) = offers.first().filter(|_| self.property.is_array) else { return };
        let (of, start) = (first.fact.of, first.fact.range.start);
        let facts = self.offers(|fact| fact.of == of);
        let index = facts.partition_point(|it| it.fact.range.start <= start);
        let before = facts[..index].iter().rev().take_while(|it| it.fact.continues_list).count();
        let after = facts[index..].iter().take_while(|it| it.fact.continues_list).count();
        offers.extend_from_slice(&facts[index.saturating_sub(before + 1)..index + after]);
    }

    /// Returns `true` for a quote or a name before a word of the property, as in "the Acme brand",
    /// that does not stand after a word of another property that could take it.
    fn is_text_before_own_word(&self, fact: &Fact) -> bool {
        let [before, after] = self.scope.reading.beside(fact);
        let is_text = fact.of == FactType::Quote
            || matches!(self.property.kind(), Some(Kind::Label | Kind::Person)) && is_name(fact);
        is_text
            && self.property.owns(after)
            && !self.properties.iter().any(|it| it.owns(before) && self.may_take(it, fact))
    }

    /// Returns `true` for a fact between a word of another property and a word of this one, if the
    /// words stand before their values: "width 800 height 600", but not "2 children 3 adults".
    fn is_beside_other_word(&self, fact: &Fact) -> bool {
        let (properties, reading) = (self.properties, self.scope.reading);
        let [before, after] = reading.beside(fact);
        if !self.property.owns(after) || self.property.owns(before) {
            return false;
        }
        let [first, last] =
            reading.beside_row(fact).map(|word| properties.iter().any(|it| it.owns(word)));
        self.has_rival(fact, |it| it.owns(before)) && first && !last
    }
}
