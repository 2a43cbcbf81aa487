//! Flattens schemas: follows `$ref`, `allOf`, `anyOf` and `oneOf`.
//!
//! The layers of a [`FlatSchema`] are borrowed instead of merged into a copy, so flattening takes
//! no more time than visiting each schema once.

use std::{
    collections::{BTreeSet, VecDeque},
    ptr,
};

use serde_json::{Map, Value};

use super::{
    branches::{Choice, choose_branch},
    limits::spend_or_exhaust,
    types::{intersection, type_names},
};
use crate::base::json_schema::resolve_local_ref;

/// All schema objects that apply to one value.
#[derive(Debug, Default)]
pub(super) struct FlatSchema<'a> {
    pub(super) layers: Vec<&'a Map<String, Value>>,
    /// How many of the layers are not in a branch of `anyOf` or `oneOf`. They come first.
    pub(super) outer: usize,
    /// Whether exactly one of several branches must hold.
    pub(super) has_one_of: bool,
    /// The targets of `$ref` among the layers.
    pub(super) ref_targets: Vec<*const Value>,
    /// An unresolvable `$ref` or an unsupported keyword, if there is one.
    pub(super) unsupported: Option<&'a str>,
}

/// The reason why there is no value for a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoValue {
    /// The value would contain itself.
    Cycle,
    /// No value is valid.
    Unsatisfiable,
    /// A limit is reached.
    Limit,
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

/// Flattens `schemas`. A reference to one of the `active` schemas, whose values are being
/// generated, is a cycle.
pub(super) fn flatten<'a>(
    root: &'a Value,
    schemas: &[&'a Value],
    active: &[*const Value],
    choice: &mut Choice,
    steps: &mut usize,
) -> Result<FlatSchema<'a>, NoValue> {
    // The common case needs no set of visited schemas.
    if let Some(layers) = self_contained(schemas) {
        let enough = spend_or_exhaust(steps, layers.len());
        let flat = FlatSchema { outer: layers.len(), layers, ..FlatSchema::default() };
        return if enough { Ok(flat) } else { Err(NoValue::Limit) };
    }
    let mut flat = FlatSchema::default();
    let mut visited = BTreeSet::new();
    let mut todo: Vec<&Value> = schemas.iter().rev().copied().collect();
    // Branches come after all other schemas.
    let (mut branches_todo, mut is_outer) = (VecDeque::new(), true);
    loop {
        let Some(schema) = todo.pop() else {
            if is_outer {
                flat.outer = flat.layers.len();
                is_outer = false;
            }
            let Some(branch) = branches_todo.pop_front() else { break };
            todo.push(branch);
            continue;
        };
        let branches = ["allOf", "anyOf", "oneOf"].map(|keyword| schema.get(keyword));
        let lens = branches.into_iter().flatten().filter_map(Value::as_array).map(Vec::len);
        if !spend_or_exhaust(steps, 1 + lens.sum::<usize>()) {
            return Err(NoValue::Limit);
        }
        let Value::Object(layer) = schema else {
            if *schema == Value::Bool(false) {
                return Err(NoValue::Unsatisfiable);
            }
            continue;
        };
        // Visit each schema once. Otherwise, definitions that double at every level would take
        // exponential time.
        if visited.insert(ptr::from_ref(schema)) {
            flat.add(layer);
            todo.extend(flat.referenced(root, layer, active)?.into_iter().rev());
            for keyword in ["anyOf", "oneOf"] {
                let branches = array(layer, keyword);
                branches_todo.extend(choose_branch(root, branches, active, choice));
                flat.has_one_of |= keyword == "oneOf" && branches.len() > 1;
            }
        }
    }
    Ok(flat)
}

/// Returns the layers of one or two schemas. Returns `None` if there are more, if any refers to
/// other schemas for the same value, or if any uses unsupported keywords.
fn self_contained<'a>(schemas: &[&'a Value]) -> Option<Vec<&'a Map<String, Value>>> {
    let is_plain = |keyword: &String| {
        !["$ref", "allOf", "anyOf", "oneOf"].contains(&keyword.as_str())
            && !UNSUPPORTED.contains(&keyword.as_str())
    };
    let is_small = |layer: &&Map<String, Value>| layer.len() <= UNSUPPORTED.len();
    match schemas {
        [_] => {}
        [one, other] if !ptr::eq(*one, *other) => {}
        _ => return None,
    }
    let layers = schemas.iter().map(|schema| schema.as_object().filter(is_small));
    layers.map(|layer| layer.filter(|layer| layer.keys().all(is_plain))).collect()
}

impl<'a> FlatSchema<'a> {
    /// Wraps one schema without following its references.
    pub(super) fn single(layer: &'a Map<String, Value>) -> Self {
        Self { layers: vec![layer], outer: 1, ..Self::default() }
    }

    fn add(&mut self, layer: &'a Map<String, Value>) {
        self.layers.push(layer);
        let unsupported = UNSUPPORTED.into_iter().find(|keyword| layer.contains_key(*keyword));
        self.unsupported = self.unsupported.or(unsupported);
    }

    /// Returns the schemas to which `layer` refers for the same value.
    fn referenced(
        &mut self,
        root: &'a Value,
        layer: &'a Map<String, Value>,
        active: &[*const Value],
    ) -> Result<Vec<&'a Value>, NoValue> {
        let mut schemas = Vec::new();
        if let Some(reference) = layer.get("$ref").and_then(Value::as_str) {
            match resolve_local_ref(root, reference) {
                Some(target) if active.contains(&ptr::from_ref(target)) => {
                    return Err(NoValue::Cycle);
                }
                Some(target) => {
                    self.ref_targets.push(ptr::from_ref(target));
                    schemas.push(target);
                }
                None => self.unsupported = Some(reference),
            }
        }
        schemas.extend(array(layer, "allOf"));
        Ok(schemas)
    }

    /// Returns the values of a keyword, layer by layer.
    pub(super) fn values<'n>(&'n self, keyword: &'n str) -> impl Iterator<Item = &'a Value> + 'n {
        self.layers.iter().filter_map(move |layer| layer.get(keyword))
    }

    /// Returns the `const` values outside of branches, or in branches.
    pub(super) fn constants(&self, in_branch: bool) -> impl Iterator<Item = &'a Value> {
        let (outer, branches) = self.layers.split_at(self.outer);
        let layers = if in_branch { branches } else { outer };
        layers.iter().filter_map(|layer| layer.get("const"))
    }

    /// Returns the values of a keyword that are strings.
    pub(super) fn strings<'n>(&'n self, keyword: &'n str) -> impl Iterator<Item = &'a str> + 'n {
        self.values(keyword).filter_map(Value::as_str)
    }

    /// Returns the largest value of a keyword such as `minItems`, or 0.
    pub(super) fn lower_limit(&self, keyword: &str) -> usize {
        self.values(keyword).filter_map(as_count).max().unwrap_or(0)
    }

    /// Returns the smallest value of a keyword such as `maxItems`, or `usize::MAX`.
    pub(super) fn upper_limit(&self, keyword: &str) -> usize {
        self.values(keyword).filter_map(as_count).min().unwrap_or(usize::MAX)
    }

    /// Returns the type of the value to generate, or `None` if the layers contradict each other.
    pub(super) fn type_name(&self) -> Option<&'a str> {
        let mut types = self.values("type").map(type_names).filter(|names| !names.is_empty());
        let Some(mut common) = types.next() else { return Some(self.type_by_keyword()) };
        for other in types {
            common = intersection(&common, &other);
        }
        common.iter().copied().find(|name| *name != "null").or(common.first().copied())
    }

    fn type_by_keyword(&self) -> &'static str {
        let has_any = |keywords: &[&str]| {
            self.layers.iter().any(|layer| keywords.iter().any(|word| layer.contains_key(*word)))
        };
        if has_any(&["properties", "required", "additionalProperties", "minProperties"]) {
            "object"
        } else if has_any(&["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]) {
            "array"
        } else if has_any(&[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ]) {
            "number"
        } else {
            "string"
        }
    }
}

/// Returns the items of a keyword's value, or an empty slice if the value is not an array.
pub(super) fn array<'a>(layer: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    layer.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Reads a length or a count. A protobuf Struct turns 5 into 5.0.
fn as_count(value: &Value) -> Option<usize> {
    let number = value.as_f64().filter(|number| *number >= 0.0)?;
    Some(number.ceil() as usize)
}
