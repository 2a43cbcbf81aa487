//! Generates objects and arrays.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    generator::Generator,
    limits::json_len,
    schema::{FlatSchema, NoValue, array},
    subschemas::{item_schemas, prefix_schemas, property_schemas},
};

/// The number of consecutive variants to try for a unique item.
const MAX_RETRIES: usize = 32;

impl<'a> Generator<'a> {
    /// Generates an object with all required properties and as many optional properties as allowed.
    pub(super) fn object(&mut self, flat: &FlatSchema<'a>, nth: usize) -> Result<Value, NoValue> {
        let names = self.property_names(flat)?;
        let required_only = std::mem::take(&mut self.required_only);
        let (min, max) = (flat.lower_limit("minProperties"), flat.upper_limit("maxProperties"));
        let required = names.values().filter(|required| **required).count();
        let mut optional_left = max.saturating_sub(required);
        let mut object = Map::new();
        for (name, required) in names {
            if !required && (optional_left == 0 || required_only) {
                continue;
            }
            match self.property(flat, name, nth, required) {
                Ok(value) => {
                    object.insert(name.to_owned(), value);
                    optional_left -= usize::from(!required);
                }
                Err(reason) if required => return self.partial(Value::Object(object), reason),
                Err(_) => {}
            }
        }
        if let Err(reason) = self.add_properties(flat, &mut object, min, nth) {
            return self.partial(Value::Object(object), reason);
        }
        if object.len() > max {
            self.note_violation("more required properties than maxProperties");
        }
        Ok(Value::Object(object))
    }

    /// Returns the names of all properties, each with whether the property is required.
    fn property_names(
        &mut self,
        flat: &FlatSchema<'a>,
    ) -> Result<BTreeMap<&'a str, bool>, NoValue> {
        let objects = || flat.values("properties").filter_map(Value::as_object);
        let required = || flat.layers.iter().flat_map(|layer| array(layer, "required"));
        self.spend_steps(objects().map(Map::len).sum::<usize>() + required().count())?;
        let names = objects().flat_map(Map::keys).map(|name| (name.as_str(), false));
        let required = required().filter_map(Value::as_str).map(|name| (name, true));
        Ok(names.chain(required).collect())
    }

    /// Adds properties with invented names until the object has `min` properties.
    fn add_properties(
        &mut self,
        flat: &FlatSchema<'a>,
        object: &mut Map<String, Value>,
        min: usize,
        nth: usize,
    ) -> Result<(), NoValue> {
        let names = (1_usize..).map(|number| format!("property{number}"));
        for name in names {
            if object.len() >= min {
                break;
            }
            if !object.contains_key(&name) {
                let value = self.property(flat, &name, nth, true)?;
                object.insert(name, value);
            }
        }
        Ok(())
    }

    /// In the best-effort pass, returns the unfinished container `value` instead of failing with
    /// `reason`.
    fn partial(&mut self, value: Value, reason: NoValue) -> Result<Value, NoValue> {
        if self.best_effort { Ok(value) } else { Err(reason) }
    }

    /// Generates the value of a property. Fails if the value of an optional property would be
    /// invalid, so that the caller can omit the property.
    fn property(
        &mut self,
        flat: &FlatSchema<'a>,
        name: &str,
        nth: usize,
        required: bool,
    ) -> Result<Value, NoValue> {
        self.spend_steps(flat.layers.len())?;
        self.spend_bytes(json_len(name) + 1)?;
        let best_effort = self.best_effort;
        self.best_effort &= required;
        let outer = self.path.len();
        self.path.push('/');
        self.path.push_str(name);
        let generated = self.variant_or_first(&property_schemas(flat, name), name, nth);
        self.path.truncate(outer);
        self.best_effort = best_effort;
        generated
    }

    /// Generates the `nth` value, or the first value if there are not that many.
    fn variant_or_first(
        &mut self,
        schemas: &[&'a Value],
        name: &str,
        nth: usize,
    ) -> Result<Value, NoValue> {
        match self.value(schemas, name, nth) {
            Err(NoValue::Unsatisfiable) if nth > 0 => self.value(schemas, name, 0),
            generated => generated,
        }
    }

    /// Generates an array with as few items as allowed, but with at least one item, and one for
    /// each prefix schema, if `maxItems` permits.
    pub(super) fn array(
        &mut self,
        flat: &FlatSchema<'a>,
        name: &str,
        nth: usize,
    ) -> Result<Value, NoValue> {
        let (min, max) = (flat.lower_limit("minItems"), flat.upper_limit("maxItems"));
        let unique = flat.values("uniqueItems").any(|unique| *unique == Value::Bool(true));
        let prefix = flat.layers.iter().map(|layer| prefix_schemas(layer).len()).max().unwrap_or(0);
        let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
        while items.len() < min.max(prefix).max(1).min(max) {
            self.spend_steps(flat.layers.len())?;
            let schemas = item_schemas(flat, items.len());
            let best_effort = self.best_effort;
            self.best_effort &= items.len() < min;
            let is_repeated = self.is_repeated;
            self.is_repeated |= !items.is_empty();
            let generated = if unique {
                self.unique_item(&schemas, name, nth + items.len(), &mut seen)
            } else {
                self.variant_or_first(&schemas, name, nth)
            };
            self.best_effort = best_effort;
            self.is_repeated = is_repeated;
            match generated {
                Ok(item) => items.push(item),
                Err(_) if items.len() >= min => break,
                Err(reason) => {
                    if self.best_effort {
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
        name: &str,
        nth: usize,
        seen: &mut BTreeSet<String>,
    ) -> Result<Value, NoValue> {
        for nth in (nth..nth + MAX_RETRIES).chain(0..MAX_RETRIES) {
            match self.value(schemas, name, nth) {
                Ok(item) if seen.insert(item.to_string()) => return Ok(item),
                Ok(_) | Err(NoValue::Unsatisfiable) => {}
                Err(reason) => return Err(reason),
            }
        }
        Err(NoValue::Unsatisfiable)
    }
}
