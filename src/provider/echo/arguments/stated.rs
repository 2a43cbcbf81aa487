//! Gives the facts that messages state to the properties of a call.

use std::{collections::BTreeMap, ops::Range, rc::Rc};

use serde_json::Value;

use super::{
    Source,
    budget::NoValue,
    generator::Generator,
    offers::{complement, offers, values},
    property::{Offer, Property},
    rules::{Pass, Scope, allowed, has_place_cue, is_bare},
};
use crate::provider::echo::{
    facts::{Fact, FactType, Kind, Reading, Role, is_exclusive},
    text::canonical_words,
};

impl<'a> Generator<'a> {
    /// Returns the values that messages state, by the paths of their properties.
    pub(super) fn stated_values(
        &mut self,
        schemas: &[&'a Value],
        sources: &[Source],
    ) -> BTreeMap<String, Value> {
        let mut properties = Vec::new();
        self.collect_properties(schemas, "", &mut Vec::new(), &mut properties);
        properties.sort_by_key(Property::rank);
        for (reading, nearest) in sources {
            if self.find_offers(&mut properties, reading).is_err() {
                break;
            }
            let mut scope = Scope { reading, range: 0..0, taken: Vec::new() };
            for range in nearest.iter().chain([&(0..reading.text.len())]) {
                scope.range = range.clone();
                self.fill(&mut properties, &mut scope);
            }
        }
        for property in properties.iter_mut().filter(|property| property.is_open()) {
            property.value = self.last_resort(property, sources);
        }
        properties.into_iter().filter_map(|it| Some((it.path, it.value?))).collect()
    }

    /// Finds what the open properties may take from a message.
    fn find_offers(
        &mut self,
        properties: &mut [Property<'a>],
        reading: &Reading,
    ) -> Result<(), NoValue> {
        for property in properties.iter_mut().filter(|property| property.is_open()) {
            self.spend_steps(1 + reading.facts.len() / 16 + property.choices.len())?;
            property.offers = offers(property, reading);
        }
        Ok(())
    }

    /// Gives the facts of a part of a message to the open properties.
    fn fill(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        for property in properties.iter_mut().filter(|property| property.is_open()) {
            property.scope = scope.range.clone();
        }
        if !properties.iter().any(|it| it.is_open() && it.offers_in_scope().next().is_some()) {
            return;
        }
        self.fill_in_pass(properties, Pass::Cue, false, scope);
        self.fill_in_pass(properties, Pass::Cue, true, scope);
        self.fill_partners(properties, scope);
        self.fill_in_pass(properties, Pass::Beside, false, scope);
        self.fill_in_pass(properties, Pass::Beside, true, scope);
        self.fill_in_pass(properties, Pass::Rest, false, scope);
        self.fill_numbers(properties, scope);
        self.fill_places(properties, scope);
        self.fill_in_pass(properties, Pass::Rest, true, scope);
    }

    /// Gives facts to the properties that are arrays, or to the others.
    fn fill_in_pass(
        &mut self,
        properties: &mut [Property<'a>],
        pass: Pass,
        is_array: bool,
        scope: &mut Scope,
    ) {
        for index in 0..properties.len() {
            let property = &properties[index];
            if property.is_array == is_array && property.is_open() {
                let allowed = allowed(properties, property, pass, scope);
                let fact = self.take(&mut properties[index], allowed, scope);
                properties[index].by_cue = fact.filter(|_| pass == Pass::Cue);
            }
        }
    }

    /// Takes the first of the offers that yields a valid value, and returns the fact. An array takes
    /// as many as it can.
    fn take(
        &mut self,
        property: &mut Property<'a>,
        mut offers: Vec<Offer<'a>>,
        scope: &mut Scope,
    ) -> Option<Rc<Fact>> {
        offers.retain(|offer| scope.is_free(&offer.fact));
        if property.is_array {
            self.take_all(property, offers, scope);
            return None;
        }
        for offer in offers {
            let values = values(property, &offer, scope.reading);
            property.value = self.first_valid(&property.schemas, values);
            if property.is_open() {
                continue;
            }
            let fact = offer.fact;
            let complement = complement(property, &fact, scope.reading);
            scope.taken.extend(complement.map(|fact| fact.range.clone()));
            scope.taken.push(fact.range.clone());
            return Some(fact);
        }
        None
    }

    fn take_all(
        &mut self,
        property: &mut Property<'a>,
        mut all: Vec<Offer<'a>>,
        scope: &mut Scope,
    ) {
        let mut end = 0;
        all.sort_by_key(|offer| offer.fact.range.start);
        all.retain(|Offer { fact, .. }| {
            let is_free = fact.range.start >= end;
            end = if is_free { fact.range.end } else { end };
            is_free
        });
        let values: Vec<Vec<Value>> =
            all.iter().map(|offer| values(property, offer, scope.reading)).collect();
        // Shorter arrays serve if `maxItems` is small.
        while !all.is_empty() {
            let items = |index: usize| -> Option<Value> {
                let item = |values: &Vec<Value>| values.get(index).or(values.first()).cloned();
                values[..all.len()].iter().map(item).collect()
            };
            property.value = self.first_valid(&property.schemas, (0..2).filter_map(items));
            if !property.is_open() {
                scope.taken.extend(all.into_iter().map(|offer| offer.fact.range.clone()));
                return;
            }
            all.pop();
        }
    }

    /// Returns the first value that is valid.
    pub(super) fn first_valid(
        &mut self,
        schemas: &[&'a Value],
        values: impl IntoIterator<Item = Value>,
    ) -> Option<Value> {
        values.into_iter().find(|value| self.is_valid(value, schemas))
    }

    /// Gives a property where something starts the fact directly before the one that a cue led its
    /// partner to: "250 GBP to JPY".
    fn fill_partners(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        for index in 0..properties.len() {
            let property = &properties[index];
            if !property.is_open() || property.role() != Role::Start {
                continue;
            }
            let is_partner = |other: &&Property| {
                other.role() == Role::End
                    && other.kind() == property.kind()
                    && other.is_array == property.is_array
            };
            let mut partners = properties.iter().filter(is_partner);
            let Some(next) = partners.find_map(|it| it.by_cue.as_ref()) else { continue };
            let before = property.offers_with(|fact| {
                fact.of == next.of
                    && fact.range.end <= next.range.start
                    && !fact.cue.is_some_and(is_exclusive)
            });
            let last = before.into_iter().max_by_key(|offer| offer.fact.range.start);
            self.take(&mut properties[index], last.into_iter().collect(), scope);
        }
    }

    /// Gives bare numbers to numeric properties if there are enough for all, with amounts and shares
    /// if necessary.
    fn fill_numbers(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        let wants_number = |it: &&mut Property| it.is_open_and_single() && it.is_numeric();
        let open: Vec<_> = properties.iter_mut().filter(wants_number).collect();
        let bare = |types: &[FactType]| -> Vec<Range<usize>> {
            let facts = scope.reading.facts.iter().filter(|fact| types.contains(&fact.of));
            let facts = facts.filter(|it| scope.range.contains(&it.range.start) && is_bare(it));
            facts.filter(|fact| scope.is_free(fact)).map(|fact| fact.range.clone()).collect()
        };
        let mut numbers = bare(&[FactType::Number]);
        if open.len() > numbers.len() {
            numbers = bare(&[FactType::Number, FactType::Money, FactType::Share]);
        }
        if open.len() > numbers.len() {
            return;
        }
        for (property, number) in open.into_iter().zip(numbers) {
            let offers = property.offers_with(|fact| fact.range == number);
            self.take(property, offers, scope);
        }
    }

    /// Gives lower-case words to places that are left.
    fn fill_places(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        for property in properties.iter_mut().filter(|property| property.is_open_and_single()) {
            let is_room = property.kind() == Some(Kind::Room);
            let offers = property.offers_with(|fact| {
                let before = scope.reading.text[..fact.range.start].trim_end();
                fact.of == FactType::Word
                    && !canonical_words(&fact.value).iter().any(|word| self.tool.contains(word))
                    && (is_room || !before.ends_with("the"))
                    && has_place_cue(property, fact, scope.reading)
            });
            self.take(property, offers, scope);
        }
    }
}
