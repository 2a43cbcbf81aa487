//! Gives the facts that messages state to the properties of a call.

use std::{collections::BTreeMap, ops::Range, rc::Rc};

use serde_json::{Value, json};

use super::{
    generator::Generator,
    offers::{offers, stated_boolean},
    passes::{Pass, Scope, allowed, has_place_cue, is_free_of_cues},
    property::{Offer, Property},
    string_constraints::PATTERN_STEPS,
};
use crate::{
    base::json_schema::Schema,
    provider::echo::{
        facts::{Fact, FactType, Kind, Reading, Role, is_exclusive},
        text::canonical_words,
    },
};

impl<'a> Generator<'a> {
    /// Returns the values that messages state, by the paths of their properties.
    pub(super) fn stated_values(
        &mut self,
        schemas: &[&'a Value],
        readings: &[(Rc<Reading>, Range<usize>)],
    ) -> BTreeMap<String, Value> {
        let mut properties = Vec::new();
        self.collect_properties(schemas, "", &mut Vec::new(), &mut properties);
        let mut taken: Vec<Vec<Range<usize>>> = Vec::new();
        for (reading, sentence) in readings {
            let everything = 0..reading.text.len();
            let mut spent = Vec::new();
            for range in [sentence.clone(), everything] {
                if range.is_empty() {
                    continue;
                }
                let mut scope = Scope { reading: reading.clone(), range, taken: spent };
                self.fill(&mut properties, &mut scope);
                spent = scope.taken;
            }
            taken.push(spent);
        }
        for property in properties.iter_mut().filter(|property| property.value.is_none()) {
            property.value = self.last_resort(property, readings);
        }
        properties.into_iter().filter_map(|it| Some((it.path, it.value?))).collect()
    }

    fn fill(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        for property in properties.iter_mut().filter(|property| property.value.is_none()) {
            if self
                .spend_steps(1 + scope.reading.facts.len() / 16 + property.choices.len())
                .is_err()
            {
                return;
            }
            property.offers = offers(property, &scope.reading);
            property.offers.retain(|offer| scope.range.contains(&offer.fact.range.start));
        }
        for pass in [Pass::Cue, Pass::Beside, Pass::Rest] {
            for is_array in [false, true] {
                if pass == Pass::Rest && is_array {
                    self.fill_numbers(properties, scope);
                    self.fill_places(properties, scope);
                }
                for index in 0..properties.len() {
                    if properties[index].is_array == is_array && properties[index].value.is_none() {
                        let allowed = allowed(properties, index, pass, scope);
                        self.take(&mut properties[index], allowed, pass, scope);
                    }
                }
            }
            if pass == Pass::Cue {
                self.fill_partners(properties, scope);
            }
        }
    }

    /// Takes the first of the offers that yields a valid value; for an array, all of them.
    fn take(
        &mut self,
        property: &mut Property<'a>,
        mut offers: Vec<Offer>,
        pass: Pass,
        scope: &mut Scope,
    ) {
        offers.retain(|offer| scope.is_free(&offer.fact.range));
        if property.is_array {
            let mut end = 0;
            offers.sort_by_key(|offer| offer.fact.range.start);
            offers.retain(|offer| {
                let is_free = offer.fact.range.start >= end;
                end = if is_free { offer.fact.range.end } else { end };
                is_free
            });
            return self.take_all(property, &offers, scope);
        }
        for offer in offers {
            let Some(value) = self.first_fitting(&property.schemas, &offer.values) else {
                continue;
            };
            property.value = Some(value);
            property.by_cue = (pass == Pass::Cue).then(|| offer.fact.clone());
            scope.taken.push(offer.fact.range);
            if property.format == Some("date-time") && offer.fact.of == FactType::Date {
                let mut facts = scope.reading.facts.iter();
                let time =
                    facts.find(|fact| fact.of == FactType::Time).map(|fact| fact.range.clone());
                scope.taken.extend(time);
            }
            return;
        }
    }

    fn take_all(&mut self, property: &mut Property<'a>, offers: &[Offer], scope: &mut Scope) {
        // Shorter arrays serve if `maxItems` is small.
        for count in (1..=offers.len()).rev() {
            let items = |value: usize| -> Option<Vec<Value>> {
                let of = |offer: &Offer| offer.values.get(value).or(offer.values.first()).cloned();
                offers[..count].iter().map(of).collect()
            };
            let arrays: Vec<Value> = (0..2).filter_map(items).map(Value::Array).collect();
            if let Some(value) = self.first_fitting(&property.schemas, &arrays) {
                property.value = Some(value);
                scope.taken.extend(offers[..count].iter().map(|offer| offer.fact.range.clone()));
                return;
            }
        }
    }

    fn first_fitting(&mut self, schemas: &[&'a Value], values: &[Value]) -> Option<Value> {
        values.iter().find(|value| self.is_valid(value, schemas)).cloned()
    }

    /// Gives a property where something starts the fact directly before the one that a cue led its
    /// partner to: "250 GBP to JPY".
    fn fill_partners(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        for index in 0..properties.len() {
            let property = &properties[index];
            let is_open = property.value.is_none() && property.role() == Role::Start;
            let is_partner = |other: &&Property| {
                other.role() == Role::End
                    && other.kind() == property.kind()
                    && other.is_array == property.is_array
            };
            let by_cue = || properties.iter().filter(is_partner).find_map(|it| it.by_cue.clone());
            let Some(next) = by_cue().filter(|_| is_open) else { continue };
            let before = |offer: &&Offer| {
                offer.fact.of == next.of
                    && offer.fact.range.end <= next.range.start
                    && offer.fact.cue.is_none_or(|cue| !is_exclusive(cue))
            };
            let offer = property.offers.iter().filter(before).max_by_key(|it| it.fact.range.start);
            let offers: Vec<Offer> = offer.cloned().into_iter().collect();
            self.take(&mut properties[index], offers, Pass::Rest, scope);
        }
    }

    /// Gives bare numbers to numeric properties if there are enough for all, with amounts and shares
    /// if necessary.
    fn fill_numbers(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        let open: Vec<usize> =
            (0..properties.len()).filter(|index| properties[*index].wants_number()).collect();
        let is_bare = |fact: &&Fact| {
            scope.range.contains(&fact.range.start)
                && scope.is_free(&fact.range)
                && (is_free_of_cues(fact) || fact.cue.is_none_or(|cue| !is_exclusive(cue)))
        };
        let bare_facts = |types: &[FactType]| -> Vec<Fact> {
            let facts = scope.reading.facts.iter().filter(|fact| types.contains(&fact.of));
            facts.filter(is_bare).cloned().collect()
        };
        let mut numbers = bare_facts(&[FactType::Number]);
        if open.len() > numbers.len() {
            numbers = bare_facts(&[FactType::Number, FactType::Money, FactType::Share]);
        }
        if open.len() > numbers.len() {
            return;
        }
        for (index, number) in open.into_iter().zip(numbers) {
            let offers = properties[index].offers.iter();
            let offers = offers.filter(|offer| offer.fact.range == number.range).cloned().collect();
            self.take(&mut properties[index], offers, Pass::Rest, scope);
        }
    }

    /// Gives lower-case words to places that are left.
    fn fill_places(&mut self, properties: &mut [Property<'a>], scope: &mut Scope) {
        let tool = self.tool.clone();
        let is_open = |property: &&mut Property| {
            property.value.is_none() && !property.is_array && property.choices.is_empty()
        };
        for property in properties.iter_mut().filter(is_open) {
            let is_place = |fact: &Fact| {
                let words = canonical_words(&fact.value);
                let before = scope.reading.text[..fact.range.start].trim_end();
                fact.of == FactType::Word
                    && !words.iter().any(|word| tool.contains(word))
                    && (property.kind() == Some(Kind::Room) || !before.ends_with("the"))
                    && has_place_cue(property, fact, scope)
            };
            let offers = property.offers.iter().filter(|offer| is_place(&offer.fact)).cloned();
            let offers = offers.collect();
            self.take(property, offers, Pass::Rest, scope);
        }
    }

    /// Returns a value that is no single fact: the whole message, whether words stand in the
    /// message, or a token that matches a pattern.
    fn last_resort(
        &mut self,
        property: &Property<'a>,
        readings: &[(Rc<Reading>, Range<usize>)],
    ) -> Option<Value> {
        let is_text = matches!(property.kind(), Some(Kind::Text | Kind::Question));
        if is_text && property.type_name == "string" && !property.is_array {
            let text = Some(self.context.question)
                .filter(|it| !it.is_empty() && it.len() < self.budget.bytes)?;
            return self.first_fitting(&property.schemas, &[Value::from(text)]);
        }
        for (reading, _) in readings {
            let value = match (property.type_name, property.pattern) {
                ("boolean", _) => stated_boolean(property, reading),
                ("string", Some(pattern)) => self.matching_token(pattern, reading),
                _ => None,
            };
            let value = value.and_then(|value| self.first_fitting(&property.schemas, &[value]));
            if value.is_some() {
                return value;
            }
        }
        None
    }

    /// Returns the first token with a digit or a hyphen that the whole pattern matches.
    fn matching_token(&mut self, pattern: &str, reading: &Reading) -> Option<Value> {
        let tokens = reading
            .text
            .split_whitespace()
            .map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()));
        let is_marked = |token: &&str| token.contains(|c: char| c == '-' || c.is_ascii_digit());
        let mut marked = tokens.filter(is_marked).map(Value::from).peekable();
        marked.peek()?;
        self.spend_steps(PATTERN_STEPS + pattern.len() + reading.text.len() / 16).ok()?;
        let whole = Schema::compile(&json!({"pattern": format!("^(?:{pattern})$")})).ok()?;
        marked.find(|token| whole.is_valid(token))
    }
}
