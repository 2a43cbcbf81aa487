//! Whether a value given in a schema (`default`, `examples`, `enum`) is valid against it.

use serde_json::{Map, Value};

use super::{
    limits::{MAX_DEPTH, step},
    number,
    schema::{Node, list, type_names},
    text::Rules,
};
use crate::base::json_schema::local;

/// Checks values against the plain keywords of schemas, within a number of steps.
pub(super) struct Fits<'a, 's> {
    pub(super) root: &'a Value,
    pub(super) steps: &'s mut usize,
}

impl<'a> Fits<'a, '_> {
    pub(super) fn all(&mut self, value: &Value, schemas: &[&'a Value]) -> bool {
        schemas.iter().all(|schema| self.one(value, schema, 0))
    }

    /// Out of steps or depth, the answer is no.
    fn one(&mut self, value: &Value, schema: &'a Value, depth: usize) -> bool {
        let Value::Object(layer) = schema else {
            return step(self.steps, 1) && *schema != Value::Bool(false);
        };
        let lists = list(layer, "enum").len() + list(layer, "required").len();
        let inside = value.as_array().map_or(0, Vec::len) + value.as_object().map_or(0, Map::len);
        if !step(self.steps, 1 + lists + inside) || depth > MAX_DEPTH {
            return false;
        }
        let target = layer.get("$ref").and_then(Value::as_str).and_then(|to| local(self.root, to));
        target.is_none_or(|target| self.one(value, target, depth + 1))
            && list(layer, "allOf").iter().all(|part| self.one(value, part, depth + 1))
            && ["anyOf", "oneOf"].into_iter().all(|keyword| {
                let branches = list(layer, keyword);
                branches.is_empty()
                    || branches.iter().any(|branch| self.one(value, branch, depth + 1))
            })
            && given(value, layer)
            && self.by_type(value, schema, layer, depth)
    }

    fn by_type(
        &mut self,
        value: &Value,
        schema: &'a Value,
        layer: &'a Map<String, Value>,
        depth: usize,
    ) -> bool {
        let node = Node::of(layer);
        match value {
            Value::Number(number) => number::allows(&node, number),
            Value::String(text) => Rules::of(&node, self.steps).allow(text),
            Value::Array(items) => {
                counts(&node, "minItems", "maxItems", items.len())
                    && items.iter().all(|item| match schema.get("items") {
                        Some(items) => self.one(item, items, depth + 1),
                        None => true,
                    })
            }
            Value::Object(members) => {
                let required = list(layer, "required").iter().filter_map(Value::as_str);
                let properties = layer.get("properties");
                counts(&node, "minProperties", "maxProperties", members.len())
                    && required.into_iter().all(|name| members.contains_key(name))
                    && members.iter().all(|(name, member)| {
                        let property = properties.and_then(|properties| properties.get(name));
                        let property = property.or(layer.get("additionalProperties"));
                        property.is_none_or(|schema| self.one(member, schema, depth + 1))
                    })
            }
            Value::Null | Value::Bool(_) => true,
        }
    }
}

fn given(value: &Value, layer: &Map<String, Value>) -> bool {
    let listed = |keyword| layer.get(keyword).and_then(Value::as_array);
    layer.get("const").is_none_or(|only| same(only, value))
        && listed("enum").is_none_or(|values| values.iter().any(|one| same(one, value)))
        && layer.get("type").is_none_or(|names| {
            let names = type_names(names);
            names.is_empty() || names.iter().any(|name| is_of(value, name))
        })
}

fn counts(node: &Node, least: &str, most: &str, count: usize) -> bool {
    (node.at_least(least)..=node.at_most(most)).contains(&count)
}

/// Whether a value has a type. 5.0 is an integer: a protobuf Struct knows no other five.
pub(super) fn is_of(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        Value::Number(number) => {
            let whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
            name == "number" || (name == "integer" && whole)
        }
    }
}

/// Equality in which 5 is 5.0.
fn same(left: &Value, right: &Value) -> bool {
    left == right || (!left.is_string() && number::plain(left) == number::plain(right))
}
