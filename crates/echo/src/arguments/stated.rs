//! Gives the facts that messages state to the properties of a call.

use serde_json::Value;

use super::{
    Source,
    describe::Description,
    generator::{Generator, Stated},
    lists::Call,
    offers::{complement, offers, values},
    property::{Offer, Property},
    rules::RULES,
    search::{Scope, Search},
};

/// Number of bytes of a message in which a word is searched in the time of a step.
const SEARCHED_PER_STEP: usize = 2048;

impl<'a> Generator<'a> {
    /// Returns the values that messages state, by the paths of their properties, for each call.
    pub(super) fn stated_values(&mut self, sources: &[Source]) -> Vec<Stated<'a>> {
        let described = self.described;
        // If the description took too many steps, so do the values.
        let _ = self.budget.spend_steps(described.steps.unwrap_or(usize::MAX));
        let is_literal = |it: &&Description| self.context.literal && it.is_numeric();
        let open = described.properties.iter().filter(|it| !is_literal(it));
        let mut calls: Vec<Call> = vec![open.map(Property::new).collect()];
        'sources: for (index, (reading, nearest)) in sources.iter().enumerate() {
            for call in &mut calls {
                for property in call.iter_mut().filter(|property| property.is_open()) {
                    let searches = property.choices.len() + property.prose_choices.len() + 1;
                    let words = reading.text.len() / SEARCHED_PER_STEP;
                    let steps = reading.facts().len() / 16 + searches * (1 + words);
                    if self.budget.spend_steps(steps).is_err() {
                        break 'sources;
                    }
                    property.offers = offers(property, reading).into();
                }
                let mut scope = Scope::new(reading, call, 0..0);
                let reach = (!nearest.is_empty() && self.context.is_shared)
                    .then(|| self.context.reach.clone());
                let ranges = nearest.iter().cloned().chain(reach);
                for range in ranges.chain(Some(0..reading.text.len())) {
                    scope.range = range;
                    self.fill(call, &mut scope);
                }
            }
            if index == 0 {
                calls = self.several(calls.swap_remove(0), reading);
            }
        }
        for property in calls.iter_mut().flatten().filter(|property| property.is_open()) {
            self.last_resort(property, sources);
        }
        let stated = |call: Call<'a>| call.into_iter().filter_map(Property::into_stated).collect();
        calls.into_iter().map(stated).collect()
    }

    /// Returns `true` for a part of a message that is about this tool alone.
    fn is_own(&self, scope: &Scope) -> bool {
        let [clause, sentence] = &self.context.nearest;
        let is_whole = scope.range == (0..scope.reading.text.len());
        let is_about_others = is_whole && self.context.is_shared;
        scope.range == *clause || clause == sentence && !is_about_others
    }

    /// Gives the facts of a part of a message to the open properties.
    pub(super) fn fill(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        let is_own = self.is_own(scope);
        let may_take = |it: &Property| {
            (it.is_wanted || is_own)
                && (it.waits_for_words()
                    || it.waits_for_list()
                    || it.is_open() && scope.all_offers(it).next().is_some())
        };
        let open = (0..properties.len()).filter(|index| may_take(&properties[*index]));
        let open: Vec<usize> = open.collect();
        for (name, rule) in RULES {
            for &index in &open {
                let property = &properties[index];
                if !property.is_open() {
                    continue;
                }
                let tool = &self.described.subject.canonical;
                let offers = rule(&Search { properties, property, scope, tool });
                let (property, taken) = (&mut properties[index], scope.taken.len());
                match property.is_array {
                    true => self.take_all(property, offers, scope),
                    false => self.take_one(property, offers, scope),
                }
                self.trace_fact(property, name, scope, taken);
            }
        }
    }

    /// Takes the first of the offers that yields a valid value.
    fn take_one(&mut self, property: &mut Property<'a>, offers: Vec<Offer>, scope: &mut Scope) {
        for offer in offers {
            property.value = self.first_valid(property, values(property, &offer, scope.reading));
            if !property.is_open() {
                let complement = complement(property, &offer.fact, scope.reading);
                scope.taken.extend(complement.map(|fact| fact.range.clone()));
                scope.taken.push(offer.fact.range.clone());
                property.fact = Some(offer.fact);
                return;
            }
        }
    }

    /// Takes as many of the offers as an array can have.
    fn take_all(&mut self, property: &mut Property<'a>, mut offers: Vec<Offer>, scope: &mut Scope) {
        offers.sort_by_key(|offer| offer.fact.range.start);
        offers.dedup_by(|next, offer| next.fact.range.start < offer.fact.range.end);
        let values: Vec<Vec<Value>> =
            offers.iter().map(|offer| values(property, offer, scope.reading)).collect();
        // Shorter arrays serve if `maxItems` is small.
        while !offers.is_empty() && property.is_open() {
            let items = |index: usize| -> Option<Value> {
                let item = |values: &Vec<Value>| values.get(index).or(values.first()).cloned();
                values[..offers.len()].iter().map(item).collect()
            };
            property.value = self.first_valid(property, (0..2).filter_map(items));
            if property.is_open() {
                offers.pop();
            }
        }
        scope.taken.extend(offers.into_iter().map(|offer| offer.fact.range.clone()));
    }

    /// Returns the first value that is valid for a property.
    pub(super) fn first_valid(
        &mut self,
        property: &Property<'a>,
        values: impl IntoIterator<Item = Value>,
    ) -> Option<Value> {
        values.into_iter().find(|value| self.is_valid(value, &property.schemas))
    }
}
