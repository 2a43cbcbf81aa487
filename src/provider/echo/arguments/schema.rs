//! Flattens schemas: follows `$ref`, `allOf`, `anyOf` and `oneOf`.
//!
//! The layers of a [`FlatSchema`] are borrowed instead of merged into a copy, so flattening takes
//! no more time than visiting each schema once.

use std::{collections::VecDeque, ptr};

use serde_json::{Map, Value};

use super::{
    branches::{Choice, choose_branch},
    budget::{Budget, NoValue},
};
use crate::base::json_schema::resolve_local_ref;

/// A schema object.
pub(super) type Layer = Map<String, Value>;

/// All schema objects that apply to one value.
#[derive(Debug, Default)]
pub(super) struct FlatSchema<'a> {
    pub(super) layers: Vec<&'a Layer>,
    /// How many of the layers are not in a branch of `anyOf` or `oneOf`. They come first.
    outer: usize,
    /// Whether exactly one of several branches must hold.
    pub(super) has_one_of: bool,
    /// The targets of `$ref` among the layers.
    pub(super) ref_targets: Vec<*const Value>,
    /// An unresolvable `$ref` or an unsupported keyword, if there is one.
    pub(super) unsupported: Option<&'a str>,
}

/// Unsupported keywords, which may make a generated value invalid.
const UNSUPPORTED: [&str; 12] = [
    "not",
    "if",
    "patternProperties",
    "propertyNames",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
];

/// The types that schemas without `type` have by their keywords.
const TYPES_BY_KEYWORD: [(&str, &[&str]); 3] = [
    ("object", &["properties", "required", "additionalProperties", "minProperties"]),
    ("array", &["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

/// Follows the references from schemas that apply to one value.
pub(super) struct Flattener<'a, 's> {
    pub(super) root: &'a Value,
    /// The schemas whose values are being generated. A reference to one of them is a cycle.
    pub(super) active: &'s [*const Value],
    pub(super) choice: &'s mut Choice,
    pub(super) budget: &'s mut Budget,
}

impl<'a> Flattener<'a, '_> {
    pub(super) fn flatten(&mut self, schemas: &[&'a Value]) -> Result<FlatSchema<'a>, NoValue> {
        let (mut flat, mut branches) = (FlatSchema::default(), VecDeque::new());
        self.visit(schemas, &mut flat, &mut branches)?;
        flat.outer = flat.layers.len();
        // Branches come after all other schemas.
        while let Some(branch) = branches.pop_front() {
            self.visit(&[branch], &mut flat, &mut branches)?;
        }
        Ok(flat)
    }

    fn visit(
        &mut self,
        schemas: &[&'a Value],
        flat: &mut FlatSchema<'a>,
        branches: &mut VecDeque<&'a Value>,
    ) -> Result<(), NoValue> {
        let mut todo: Vec<&Value> = schemas.iter().rev().copied().collect();
        while let Some(schema) = todo.pop() {
            // Each schema is compared with the earlier ones.
            self.budget.spend_steps(1 + flat.layers.len() / 16)?;
            let Value::Object(layer) = schema else {
                if *schema == Value::Bool(false) {
                    return Err(NoValue::Unsatisfiable);
                }
                continue;
            };
            // Visit each schema once. Otherwise, definitions that double at every level would take
            // exponential time.
            if flat.layers.iter().any(|visited| ptr::eq(*visited, layer)) {
                continue;
            }
            flat.layers.push(layer);
            let unsupported = layer.keys().find(|keyword| UNSUPPORTED.contains(&keyword.as_str()));
            flat.unsupported = flat.unsupported.or(unsupported.map(String::as_str));
            let parts = array(layer, "allOf");
            self.budget.spend_steps(parts.len())?;
            todo.extend(parts.iter().rev());
            todo.extend(self.target(layer, flat)?);
            for keyword in ["anyOf", "oneOf"] {
                let choices = array(layer, keyword);
                self.budget.spend_steps(choices.len())?;
                branches.extend(choose_branch(self.root, choices, self.active, self.choice));
                flat.has_one_of |= keyword == "oneOf" && choices.len() > 1;
            }
        }
        Ok(())
    }

    /// Returns the target of the `$ref` of a layer.
    fn target(
        &self,
        layer: &'a Layer,
        flat: &mut FlatSchema<'a>,
    ) -> Result<Option<&'a Value>, NoValue> {
        let Some(reference) = layer.get("$ref").and_then(Value::as_str) else { return Ok(None) };
        let target = resolve_local_ref(self.root, reference);
        match target.map(ptr::from_ref) {
            Some(target) if self.active.contains(&target) => return Err(NoValue::Cycle),
            Some(target) => flat.ref_targets.push(target),
            None => flat.unsupported = Some(reference),
        }
        Ok(target)
    }
}

impl<'a> FlatSchema<'a> {
    /// Wraps one schema without following its references.
    pub(super) fn single(layer: &'a Layer) -> Self {
        Self { layers: vec![layer], outer: 1, ..Self::default() }
    }

    /// Returns the values of a keyword, layer by layer.
    pub(super) fn values<'n>(&'n self, keyword: &'n str) -> impl Iterator<Item = &'a Value> + 'n {
        self.layers.iter().filter_map(move |layer| layer.get(keyword))
    }

    /// Returns the items of the values of a keyword, layer by layer.
    pub(super) fn listed<'n>(&'n self, keyword: &'n str) -> impl Iterator<Item = &'a Value> + 'n {
        self.layers.iter().flat_map(move |layer| array(layer, keyword))
    }

    /// Returns the values of a keyword that are strings.
    pub(super) fn strings<'n>(&'n self, keyword: &'n str) -> impl Iterator<Item = &'a str> + 'n {
        self.values(keyword).filter_map(Value::as_str)
    }

    /// Returns the `const` outside of branches.
    pub(super) fn constant(&self) -> Option<&'a Value> {
        self.layers[..self.outer].iter().find_map(|layer| layer.get("const"))
    }

    /// Returns the `const` values in branches.
    pub(super) fn branch_constants(&self) -> impl Iterator<Item = &'a Value> {
        self.layers[self.outer..].iter().filter_map(|layer| layer.get("const"))
    }

    /// Returns the largest value of a keyword such as `minItems`, or 0.
    pub(super) fn lower_limit(&self, keyword: &str) -> usize {
        self.values(keyword).filter_map(as_count).max().unwrap_or(0)
    }

    /// Returns the smallest value of a keyword such as `maxItems`, or `usize::MAX`.
    pub(super) fn upper_limit(&self, keyword: &str) -> usize {
        self.values(keyword).filter_map(as_count).min().unwrap_or(usize::MAX)
    }

    pub(super) fn has_unique_items(&self) -> bool {
        self.values("uniqueItems").any(|unique| *unique == Value::Bool(true))
    }

    /// Returns the type of the value to generate, or `None` if the layers contradict each other.
    pub(super) fn type_name(&self) -> Option<&'a str> {
        let mut types = self.values("type").map(type_names).filter(|names| !names.is_empty());
        let Some(mut common) = types.next() else { return Some(self.type_by_keyword()) };
        for allowed in types {
            common.retain_mut(|name| narrow(name, &allowed));
        }
        common.iter().copied().find(|name| *name != "null").or(common.first().copied())
    }

    fn type_by_keyword(&self) -> &'static str {
        let has = |word: &&str| self.layers.iter().any(|layer| layer.contains_key(*word));
        let by_keyword = TYPES_BY_KEYWORD.iter().find(|(_, keywords)| keywords.iter().any(has));
        by_keyword.map_or("string", |(name, _)| name)
    }

    /// Returns the schemas that apply to the property `name`.
    pub(super) fn property(&self, name: &str) -> Vec<&'a Value> {
        let schema = |layer: &&'a Layer| {
            let named = layer.get("properties").and_then(|properties| properties.get(name));
            let has_patterns = layer.contains_key("patternProperties");
            named.or_else(|| layer.get("additionalProperties").filter(|_| !has_patterns))
        };
        self.layers.iter().filter_map(schema).collect()
    }

    /// Returns the schemas that apply to the item at `index`.
    pub(super) fn item(&self, index: usize) -> Vec<&'a Value> {
        let schema = |layer: &&'a Layer| {
            let is_prefix = layer.get("items").is_some_and(Value::is_array);
            let rest = if is_prefix { "additionalItems" } else { "items" };
            prefix_schemas(layer).get(index).or_else(|| layer.get(rest))
        };
        self.layers.iter().filter_map(schema).collect()
    }

    /// Returns the number of first items that have schemas of their own.
    pub(super) fn prefix_len(&self) -> usize {
        self.layers.iter().map(|layer| prefix_schemas(layer).len()).max().unwrap_or(0)
    }
}

/// Returns the schemas of the first items. Before draft 2020-12, `items` contained them.
fn prefix_schemas(layer: &Layer) -> &[Value] {
    let keyword = if layer.contains_key("prefixItems") { "prefixItems" } else { "items" };
    array(layer, keyword)
}

/// Returns the items of a keyword's value, or an empty slice if the value is not an array.
pub(super) fn array<'a>(layer: &'a Layer, keyword: &str) -> &'a [Value] {
    layer.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the names in a `type`, which is a string or an array of strings.
pub(super) fn type_names(value: &Value) -> Vec<&str> {
    match value {
        // JSON Schema has only seven types.
        Value::Array(names) => names.iter().take(7).filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    }
}

/// Returns `true` if a type is allowed. A number that must also be an integer becomes one.
fn narrow(name: &mut &str, allowed: &[&str]) -> bool {
    let is_number = allowed.contains(&"number");
    if *name == "number" && !is_number {
        *name = "integer";
    }
    allowed.contains(name) || *name == "integer" && is_number
}

/// Reads a length or a count. A protobuf Struct turns 5 into 5.0.
fn as_count(value: &Value) -> Option<usize> {
    let number = value.as_f64().filter(|number| *number >= 0.0)?;
    Some(number.ceil() as usize)
}
