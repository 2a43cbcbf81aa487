//! Validates values against the basic keywords of schemas.

use std::collections::BTreeSet;

use mynah_core::base::{
    json_schema::resolve_local_ref,
    number::{are_equal, normalized},
};
use serde_json::{Map, Value};

use super::{
    budget::{Budget, MAX_DEPTH},
    number,
    schema::{FlatSchema, list, type_names},
    string_constraints::StringConstraints,
};

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
        let inner = value.as_array().map_or(0, Vec::len) + value.as_object().map_or(0, Map::len);
        if self.budget.spend_steps(1 + inner).is_err() || depth > MAX_DEPTH {
            return false;
        }
        let mut is_simple = true;
        layer.iter().all(|(keyword, argument)| match keyword.as_str() {
            "description" | "title" | "default" | "examples" => true,
            "type" => has_any_type(value, argument),
            "const" => are_equal(argument, value),
            "enum" => self.is_listed(value, argument),
            "$ref" => self.satisfies_target(value, argument, depth),
            "allOf" => self.satisfies_all(value, list(argument).iter(), depth + 1),
            "anyOf" => self.count(value, list(argument), 1, depth) > 0,
            "oneOf" => self.count(value, list(argument), 2, depth) == 1,
            "not" => !self.satisfies(value, argument, depth + 1),
            _ => {
                is_simple = false;
                true
            }
        }) && (is_simple || self.satisfies_type_keywords(value, &FlatSchema::single(layer), depth))
    }

    fn satisfies_target(&mut self, value: &Value, reference: &Value, depth: usize) -> bool {
        let target = reference.as_str().and_then(|it| resolve_local_ref(self.root, it));
        target.is_none_or(|target| self.satisfies(value, target, depth + 1))
    }

    fn is_listed(&mut self, value: &Value, listed: &Value) -> bool {
        let Value::Array(listed) = listed else { return true };
        self.budget.spend_steps(listed.len()).is_ok()
            && listed.iter().any(|it| are_equal(it, value))
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
                    && self.budget.spend_steps(flat.listed("required").count()).is_ok()
                    && required.all(|name| members.contains_key(name))
                    && members.iter().all(|(name, member)| {
                        self.satisfies_all(member, flat.property(name).into_iter(), depth + 1)
                    })
            }
            Value::Null | Value::Bool(_) => true,
        }
    }
}

/// Returns `true` if a value has one of the types in a `type`, or if there are none.
fn has_any_type(value: &Value, names: &Value) -> bool {
    let mut names = type_names(names).peekable();
    names.peek().is_none() || names.any(|name| has_type(value, name))
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
    let texts: BTreeSet<String> = items.iter().map(|item| normalized(item).to_string()).collect();
    texts.len() == items.len()
}
