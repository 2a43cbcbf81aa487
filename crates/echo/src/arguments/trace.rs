//! Traces where the values of a call come from, if the call is explained.

use serde_json::{Map, Value};

use super::{
    generator::Generator, origin::Origin, property::Property, schema::FlatSchema, search::Scope,
};

impl Generator<'_> {
    fn is_traced(&self) -> bool {
        self.context.is_traced && !self.frame.is_repeated
    }

    /// Traces the current value.
    pub(super) fn trace(&mut self, origin: impl FnOnce() -> Origin) {
        if self.is_traced() {
            let path = self.path.clone();
            self.trace.origins.insert(path, origin());
        }
    }

    /// Traces the properties that the current object does not have.
    pub(super) fn trace_left_out(&mut self, flat: &FlatSchema, object: &Map<String, Value>) {
        if self.is_traced() {
            let path = self.path.clone();
            let names = flat.values("properties").filter_map(Value::as_object).flat_map(Map::keys);
            let left_out = names.filter(|name| !object.contains_key(*name)).cloned().collect();
            self.trace.left_out.insert(path, left_out);
        }
    }

    /// Traces a value that the rule has taken: the facts in `scope` from the one with the number `first`.
    pub(super) fn trace_fact(
        &self,
        property: &mut Property,
        rule: &'static str,
        scope: &Scope,
        first: usize,
    ) {
        let start = scope.taken[first..].iter().map(|fact| fact.start).min();
        let end = scope.taken[first..].iter().map(|fact| fact.end).max();
        if let Some((start, end)) = start.zip(end) {
            self.trace_words(property, rule, &scope.reading.text[start..end]);
        }
    }

    /// Traces a value that some words state.
    pub(super) fn trace_words(&self, property: &mut Property, rule: &'static str, words: &str) {
        if self.context.is_traced && !property.is_open() {
            property.origin = Some(Origin::Stated { rule, words: words.to_owned() });
        }
    }
}
