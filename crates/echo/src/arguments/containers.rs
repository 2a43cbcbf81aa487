//! Generates objects and arrays.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use serde_json::{Map, Value};

use super::{
    budget::{Generation, NoValue},
    generator::{Frame, Generator},
    schema::FlatSchema,
};
use crate::settings::Optional;

/// Length of an empty object or array and a comma.
const BRACKETS_LEN: usize = 3;
/// The number of consecutive variants to try for a unique item.
const MAX_RETRIES: usize = 32;

impl<'a> Generator<'a> {
    /// Generates an object with all required properties and as many optional ones as it may have and
    /// [should](Optional) have. Invents names until the object has as many properties as it needs.
    pub(super) fn object(&mut self, flat: &FlatSchema<'a>) -> Generation {
        self.budget.spend_bytes(BRACKETS_LEN)?;
        let names = self.property_names(flat)?;
        let (min, max) = (flat.lower_limit("minProperties"), flat.upper_limit("maxProperties"));
        let count = names.values().filter(|required| **required).count();
        let mut optional_left =
            if self.frame.required_only { 0 } else { max.saturating_sub(count) };
        let (wanted, others): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|(name, required)| *required || self.wants(flat, name));
        let (mut object, wanted_count) = (Map::new(), wanted.len());
        for (at, (name, required)) in wanted.into_iter().chain(others).enumerate() {
            let is_needed = at < wanted_count || object.len() < min;
            if required || is_needed && optional_left > 0 {
                match self.property(flat, name, required) {
                    Ok(value) => {
                        object.insert(name.to_owned(), value);
                        optional_left -= usize::from(!required);
                    }
                    Err(reason) if required => return self.partial(Value::Object(object), reason),
                    Err(_) => {}
                }
            }
        }
        let mut invented = (1_usize..).map(|number| format!("property{number}"));
        while object.len() < min {
            let name = invented.find(|name| !object.contains_key(name)).unwrap_or_default();
            match self.property(flat, &name, true) {
                Ok(value) => object.insert(name, value),
                Err(reason) => return self.partial(Value::Object(object), reason),
            };
        }
        if object.len() > max {
            self.note_violation("more required properties than maxProperties");
        }
        self.trace_left_out(flat, &object);
        Ok(Value::Object(object))
    }

    /// Returns `true` if the object should have an optional property.
    fn wants(&self, flat: &FlatSchema<'a>, name: &str) -> bool {
        let is_stated = || {
            let path = [self.path.as_slice(), &[name.to_owned()]].concat();
            let range = (Bound::Included(path.as_slice()), Bound::Unbounded);
            let first = self.stated.range::<[String], _>(range).next();
            !self.frame.is_repeated && first.is_some_and(|(stated, _)| stated.starts_with(&path))
        };
        match self.context.optional {
            Optional::Fill => true,
            Optional::BySchema if flat.values("required").next().is_none() => {
                !flat.property(name).iter().any(|it| it.get("default") == Some(&Value::Null))
                    || is_stated()
            }
            Optional::BySchema | Optional::Omit => is_stated(),
        }
    }

    /// Returns the names of all properties, each with whether the property is required.
    fn property_names(
        &mut self,
        flat: &FlatSchema<'a>,
    ) -> Result<BTreeMap<&'a str, bool>, NoValue> {
        let objects = || flat.values("properties").filter_map(Value::as_object);
        self.budget.spend_steps(
            objects().map(Map::len).sum::<usize>() + flat.listed("required").count(),
        )?;
        let names = objects().flat_map(Map::keys).map(|name| (name.as_str(), false));
        let required = flat.listed("required").filter_map(Value::as_str).map(|name| (name, true));
        Ok(names.chain(required).collect())
    }

    /// In the best-effort pass, returns the unfinished container `value` instead of failing with
    /// `reason`.
    fn partial(&mut self, value: Value, reason: NoValue) -> Generation {
        if !self.frame.best_effort {
            return Err(reason);
        }
        self.note_failure(reason);
        Ok(value)
    }

    /// Generates the value of a property. Fails if the value of an optional property would be
    /// invalid, so that the caller can omit the property.
    fn property(&mut self, flat: &FlatSchema<'a>, name: &str, required: bool) -> Generation {
        self.budget.spend_steps(flat.layers.len())?;
        self.budget.spend_bytes(json_len(name) + 1)?;
        self.path.push(name.to_owned());
        let best_effort = self.frame.best_effort && required;
        let generated = self.value(&flat.property(name), Frame { best_effort, ..self.frame });
        self.path.pop();
        generated
    }

    /// Generates an array with as few items as allowed, but with at least one item, and one for
    /// each prefix schema, if `maxItems` permits.
    pub(super) fn array(&mut self, flat: &FlatSchema<'a>) -> Generation {
        self.budget.spend_bytes(BRACKETS_LEN)?;
        let (min, max) = (flat.lower_limit("minItems"), flat.upper_limit("maxItems"));
        let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
        while items.len() < min.max(flat.prefix_len()).max(1).min(max) {
            self.budget.spend_steps(flat.layers.len())?;
            let frame = Frame {
                best_effort: self.frame.best_effort && items.len() < min,
                is_repeated: self.frame.is_repeated || !items.is_empty(),
                ..self.frame
            };
            let schemas = flat.item(items.len());
            let generated = match flat.has_unique_items() {
                true => self.unique_item(&schemas, frame, &mut seen),
                false => self.value(&schemas, frame),
            };
            match generated {
                Ok(item) => items.push(item),
                Err(_) if items.len() >= min => break,
                Err(reason) => {
                    if self.frame.best_effort {
                        self.note_violation("fewer items than minItems");
                    }
                    return self.partial(Value::Array(items), reason);
                }
            }
        }
        if min > max {
            self.note_violation("minItems exceeds maxItems");
        }
        Ok(Value::Array(items))
    }

    /// Generates an item that `seen` does not contain, and adds it to `seen`.
    fn unique_item(
        &mut self,
        schemas: &[&'a Value],
        frame: Frame,
        seen: &mut BTreeSet<String>,
    ) -> Generation {
        let next = frame.variant + seen.len();
        for variant in (next..next + MAX_RETRIES).chain(0..MAX_RETRIES) {
            match self.value(schemas, Frame { variant, ..frame }) {
                Ok(item) if seen.insert(item.to_string()) => return Ok(item),
                Ok(_) | Err(NoValue::Unsatisfiable) => {}
                Err(reason) => return Err(reason),
            }
        }
        Err(NoValue::Unsatisfiable)
    }
}

/// Returns an upper bound on the length of a string in JSON, including quotes and escapes.
pub(super) fn json_len(text: &str) -> usize {
    let len = |byte| if matches!(byte, b'"' | b'\\' | ..b' ') { 6 } else { 1 };
    text.bytes().map(len).sum::<usize>() + 2
}
