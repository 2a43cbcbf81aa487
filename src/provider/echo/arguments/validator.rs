//! Validates the values that a schema itself provides (`default`, `examples`, `enum`).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    json_number::normalize_integers,
    limits::{MAX_DEPTH, spend_or_exhaust},
    number,
    schema::{FlatSchema, array},
    string_constraints::StringConstraints,
    subschemas::{item_schemas, property_schemas},
    types::{has_type, type_names},
};
use crate::base::json_schema::resolve_local_ref;

/// Checks values against the basic keywords of schemas, within a limit on steps.
pub(super) struct Validator<'a, 's> {
    pub(super) root: &'a Value,
    pub(super) steps: &'s mut usize,
}

impl<'a> Validator<'a, '_> {
    /// Returns `true` if a value is valid against all schemas, and `false` if it is invalid or the
    /// steps are used up.
    pub(super) fn is_valid(&mut self, value: &Value, schemas: &[&'a Value]) -> bool {
        schemas.iter().all(|schema| self.satisfies(value, schema, 0))
    }

    fn satisfies(&mut self, value: &Value, schema: &'a Value, depth: usize) -> bool {
        let Value::Object(layer) = schema else {
            return spend_or_exhaust(self.steps, 1) && *schema != Value::Bool(false);
        };
        let listed = array(layer, "enum").len() + array(layer, "required").len();
        let inner = value.as_array().map_or(0, Vec::len) + value.as_object().map_or(0, Map::len);
        if !spend_or_exhaust(self.steps, 1 + listed + inner) || depth > MAX_DEPTH {
            return false;
        }
        let target = layer
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|to| resolve_local_ref(self.root, to));
        target.is_none_or(|target| self.satisfies(value, target, depth + 1))
            && array(layer, "allOf").iter().all(|part| self.satisfies(value, part, depth + 1))
            && self.count(value, array(layer, "anyOf"), 1, depth) > 0
            && self.count(value, array(layer, "oneOf"), 2, depth) == 1
            && layer.get("not").is_none_or(|other| !self.satisfies(value, other, depth + 1))
            && satisfies_any_type_keywords(value, layer)
            && self.satisfies_type_keywords(value, layer, depth)
    }

    /// Counts the branches that hold, up to `limit`. No branches at all count as one.
    fn count(&mut self, value: &Value, branches: &'a [Value], limit: usize, depth: usize) -> usize {
        let holds = |branch: &&'a Value| self.satisfies(value, branch, depth + 1);
        let is_empty = usize::from(branches.is_empty());
        is_empty + branches.iter().filter(holds).take(limit).count()
    }

    fn satisfies_type_keywords(
        &mut self,
        value: &Value,
        layer: &'a Map<String, Value>,
        depth: usize,
    ) -> bool {
        let flat = FlatSchema::single(layer);
        match value {
            Value::Number(number) => number::is_valid(&flat, number),
            Value::String(text) => StringConstraints::new(&flat, self.steps).allow(text),
            Value::Array(items) => {
                let is_unique =
                    flat.values("uniqueItems").any(|unique| *unique == Value::Bool(true));
                is_in_limits(&flat, "minItems", "maxItems", items.len())
                    && (!is_unique || are_unique(items))
                    && items.iter().enumerate().all(|(index, item)| {
                        let mut schemas = item_schemas(&flat, index).into_iter();
                        schemas.all(|schema| self.satisfies(item, schema, depth + 1))
                    })
            }
            Value::Object(members) => {
                let mut required = array(layer, "required").iter().filter_map(Value::as_str);
                is_in_limits(&flat, "minProperties", "maxProperties", members.len())
                    && required.all(|name| members.contains_key(name))
                    && members.iter().all(|(name, member)| {
                        let mut schemas = property_schemas(&flat, name).into_iter();
                        schemas.all(|schema| self.satisfies(member, schema, depth + 1))
                    })
            }
            Value::Null | Value::Bool(_) => true,
        }
    }
}

/// Checks the keywords that apply to values of every type.
fn satisfies_any_type_keywords(value: &Value, layer: &Map<String, Value>) -> bool {
    let listed = |keyword| layer.get(keyword).and_then(Value::as_array);
    layer.get("const").is_none_or(|only| equal(only, value))
        && listed("enum").is_none_or(|values| values.iter().any(|one| equal(one, value)))
        && layer.get("type").is_none_or(|names| {
            let names = type_names(names);
            names.is_empty() || names.iter().any(|name| has_type(value, name))
        })
}

fn are_unique(items: &[Value]) -> bool {
    let texts: BTreeSet<String> =
        items.iter().map(|item| normalize_integers(item).to_string()).collect();
    texts.len() == items.len()
}

fn is_in_limits(flat: &FlatSchema, lower: &str, upper: &str, count: usize) -> bool {
    (flat.lower_limit(lower)..=flat.upper_limit(upper)).contains(&count)
}

/// Compares two values. 5 equals 5.0.
fn equal(left: &Value, right: &Value) -> bool {
    left == right || (!left.is_string() && normalize_integers(left) == normalize_integers(right))
}
