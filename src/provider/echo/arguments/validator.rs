//! Validates values against the basic keywords of schemas.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    budget::{Budget, MAX_DEPTH},
    number::{self, normalize_integers},
    schema::{FlatSchema, Layer, array, type_names},
    string_constraints::StringConstraints,
};
use crate::base::json_schema::resolve_local_ref;

/// Checks values within a limit on steps.
pub(super) struct Validator<'a, 's> {
    pub(super) root: &'a Value,
    pub(super) budget: &'s mut Budget,
}

impl<'a> Validator<'a, '_> {
    /// Returns `true` if a value is valid against all schemas, and `false` if it is invalid or the
    /// steps are used up.
    pub(super) fn is_valid(&mut self, value: &Value, schemas: &[&'a Value]) -> bool {
        self.satisfies_all(value, schemas.iter().copied(), 0)
    }

    fn satisfies_all(
        &mut self,
        value: &Value,
        mut schemas: impl Iterator<Item = &'a Value>,
        depth: usize,
    ) -> bool {
        schemas.all(|schema| self.satisfies(value, schema, depth))
    }

    fn satisfies(&mut self, value: &Value, schema: &'a Value, depth: usize) -> bool {
        let Value::Object(layer) = schema else {
            return self.budget.spend_steps(1).is_ok() && *schema != Value::Bool(false);
        };
        let listed = array(layer, "enum").len() + array(layer, "required").len();
        let inner = value.as_array().map_or(0, Vec::len) + value.as_object().map_or(0, Map::len);
        if self.budget.spend_steps(1 + listed + inner).is_err() || depth > MAX_DEPTH {
            return false;
        }
        let reference = layer.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| resolve_local_ref(self.root, reference));
        let all = target.into_iter().chain(array(layer, "allOf"));
        self.satisfies_all(value, all, depth + 1)
            && self.count(value, array(layer, "anyOf"), 1, depth) > 0
            && self.count(value, array(layer, "oneOf"), 2, depth) == 1
            && layer.get("not").is_none_or(|other| !self.satisfies(value, other, depth + 1))
            && satisfies_any_type_keywords(value, layer)
            && self.satisfies_type_keywords(value, &FlatSchema::single(layer), depth)
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
        flat: &FlatSchema<'a>,
        depth: usize,
    ) -> bool {
        let allows_count = |lower: &str, upper: &str, count: usize| {
            (flat.lower_limit(lower)..=flat.upper_limit(upper)).contains(&count)
        };
        match value {
            Value::Number(number) => number::is_valid(flat, number),
            Value::String(text) => StringConstraints::new(flat, self.budget).allow(text),
            Value::Array(items) => {
                allows_count("minItems", "maxItems", items.len())
                    && (!flat.has_unique_items() || are_unique(items))
                    && items.iter().enumerate().all(|(index, item)| {
                        self.satisfies_all(item, flat.item(index).into_iter(), depth + 1)
                    })
            }
            Value::Object(members) => {
                let mut required = flat.listed("required").filter_map(Value::as_str);
                allows_count("minProperties", "maxProperties", members.len())
                    && required.all(|name| members.contains_key(name))
                    && members.iter().all(|(name, member)| {
                        self.satisfies_all(member, flat.property(name).into_iter(), depth + 1)
                    })
            }
            Value::Null | Value::Bool(_) => true,
        }
    }
}

/// Checks the keywords that apply to values of every type.
fn satisfies_any_type_keywords(value: &Value, layer: &Layer) -> bool {
    let listed = layer.get("enum").and_then(Value::as_array);
    layer.get("const").is_none_or(|only| equal(only, value))
        && listed.is_none_or(|values| values.iter().any(|one| equal(one, value)))
        && layer.get("type").is_none_or(|names| {
            let names = type_names(names);
            names.is_empty() || names.iter().any(|name| has_type(value, name))
        })
}

/// Returns `true` if a value has the type `name`. 5.0 is an integer, because a protobuf Struct has
/// only doubles.
fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

fn are_unique(items: &[Value]) -> bool {
    let texts: BTreeSet<String> =
        items.iter().map(|item| normalize_integers(item).to_string()).collect();
    texts.len() == items.len()
}

/// Compares two values. 5 equals 5.0.
fn equal(left: &Value, right: &Value) -> bool {
    left == right || (!left.is_string() && normalize_integers(left) == normalize_integers(right))
}
