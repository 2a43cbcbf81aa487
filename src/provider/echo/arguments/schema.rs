//! One place of a schema, flattened: `$ref`, `allOf`, `anyOf` and `oneOf` followed.
//!
//! A value must satisfy every [`Node`] layer. Layers are borrowed, never merged into a copy, so
//! that flattening costs no more than looking at each schema once.

use std::{collections::BTreeSet, ptr};

use serde_json::{Map, Value};

use super::{limits::step, number::as_count};
use crate::base::json_schema::local;

/// The schema objects that all apply to one value.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    pub(super) layers: Vec<&'a Map<String, Value>>,
    /// Every `$ref` target among them.
    pub(super) targets: Vec<*const Value>,
    /// `$ref`s that lead nowhere, and keywords that are not understood.
    pub(super) unsupported: Option<&'a str>,
}

/// Why a schema has no [`Node`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// It contains itself.
    Cycle,
    /// Nothing is valid against it.
    Impossible,
    /// A limit is reached.
    Limit,
}

/// Keywords that may forbid what is generated.
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

/// Flattens `schemas`. `active` are the schemas whose values are being made: to come back to one of
/// them is a cycle.
pub(super) fn flatten<'a>(
    root: &'a Value,
    schemas: &[&'a Value],
    active: &[*const Value],
    steps: &mut usize,
) -> Result<Node<'a>, Cut> {
    // Most of all, and without a set of what was seen.
    if let Some(layers) = plain(schemas) {
        let enough = step(steps, layers.len());
        return if enough { Ok(Node { layers, ..Node::default() }) } else { Err(Cut::Limit) };
    }
    let mut node = Node::default();
    let mut seen = BTreeSet::new();
    let mut todo: Vec<&Value> = schemas.iter().rev().copied().collect();
    while let Some(schema) = todo.pop() {
        let parts = ["allOf", "anyOf", "oneOf"].map(|keyword| schema.get(keyword));
        let cost = parts.into_iter().flatten().filter_map(Value::as_array).map(Vec::len);
        if !step(steps, 1 + cost.sum::<usize>()) {
            return Err(Cut::Limit);
        }
        let Value::Object(layer) = schema else {
            if *schema == Value::Bool(false) {
                return Err(Cut::Impossible);
            }
            continue;
        };
        // To require the same thing twice is to require it once: $defs that double stay small.
        if seen.insert(ptr::from_ref(schema)) {
            node.add(layer);
            todo.extend(node.parts(root, layer, active)?.into_iter().rev());
        }
    }
    Ok(node)
}

/// The layers of one or two schemas that lead to no others for the same value, and are understood.
fn plain<'a>(schemas: &[&'a Value]) -> Option<Vec<&'a Map<String, Value>>> {
    let is_plain = |keyword: &String| {
        !["$ref", "allOf", "anyOf", "oneOf"].contains(&keyword.as_str())
            && !UNSUPPORTED.contains(&keyword.as_str())
    };
    let few = |layer: &&Map<String, Value>| layer.len() <= UNSUPPORTED.len();
    match schemas {
        [_] => {}
        [one, other] if !ptr::eq(*one, *other) => {}
        _ => return None,
    }
    let layers = schemas.iter().map(|schema| schema.as_object().filter(few));
    layers.map(|layer| layer.filter(|layer| layer.keys().all(is_plain))).collect()
}

impl<'a> Node<'a> {
    /// The node of one schema, nothing followed.
    pub(super) fn of(layer: &'a Map<String, Value>) -> Self {
        Self { layers: vec![layer], ..Self::default() }
    }

    fn add(&mut self, layer: &'a Map<String, Value>) {
        self.layers.push(layer);
        let unsupported = UNSUPPORTED.into_iter().find(|keyword| layer.contains_key(*keyword));
        self.unsupported = self.unsupported.or(unsupported);
    }

    /// The schemas that apply with `layer` to the same value.
    fn parts(
        &mut self,
        root: &'a Value,
        layer: &'a Map<String, Value>,
        active: &[*const Value],
    ) -> Result<Vec<&'a Value>, Cut> {
        let mut parts = Vec::new();
        if let Some(reference) = layer.get("$ref").and_then(Value::as_str) {
            match local(root, reference) {
                Some(target) if active.contains(&ptr::from_ref(target)) => return Err(Cut::Cycle),
                Some(target) => {
                    self.targets.push(ptr::from_ref(target));
                    parts.push(target);
                }
                None => self.unsupported = Some(reference),
            }
        }
        parts.extend(list(layer, "allOf"));
        for keyword in ["anyOf", "oneOf"] {
            parts.extend(first_branch(root, list(layer, keyword), active));
        }
        Ok(parts)
    }

    /// What the layers have under a keyword, in order.
    pub(super) fn all<'n>(&'n self, keyword: &'n str) -> impl Iterator<Item = &'a Value> + 'n {
        self.layers.iter().filter_map(move |layer| layer.get(keyword))
    }

    pub(super) fn texts<'n>(&'n self, keyword: &'n str) -> impl Iterator<Item = &'a str> + 'n {
        self.all(keyword).filter_map(Value::as_str)
    }

    /// The largest of the layers' counts, such as `minItems`.
    pub(super) fn at_least(&self, keyword: &str) -> usize {
        self.all(keyword).filter_map(as_count).max().unwrap_or(0)
    }

    /// The smallest of the layers' counts, such as `maxItems`.
    pub(super) fn at_most(&self, keyword: &str) -> usize {
        self.all(keyword).filter_map(as_count).min().unwrap_or(usize::MAX)
    }

    /// The type of the value to make; `None` where the layers contradict each other.
    pub(super) fn kind(&self) -> Option<&'a str> {
        let mut types = self.all("type").map(type_names).filter(|names| !names.is_empty());
        let Some(mut common) = types.next() else { return Some(self.kind_by_keyword()) };
        for other in types {
            common = intersection(&common, &other);
        }
        common.iter().copied().find(|name| *name != "null").or(common.first().copied())
    }

    fn kind_by_keyword(&self) -> &'static str {
        let has = |keywords: &[&str]| {
            self.layers.iter().any(|layer| keywords.iter().any(|word| layer.contains_key(*word)))
        };
        if has(&["properties", "required", "additionalProperties", "minProperties"]) {
            "object"
        } else if has(&["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]) {
            "array"
        } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])
        {
            "number"
        } else {
            "string"
        }
    }
}

/// The members of an array of schemas.
pub(super) fn list<'a>(layer: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    layer.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The names in a `type`, which may be one or several.
pub(super) fn type_names(value: &Value) -> Vec<&str> {
    match value {
        // There are seven types.
        Value::Array(names) => names.iter().take(7).filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    }
}

/// Types in both lists, in the order of the first; every integer is a number.
fn intersection<'a>(left: &[&'a str], right: &[&'a str]) -> Vec<&'a str> {
    let common = |name: &&'a str| match *name {
        name if right.contains(&name) => Some(name),
        "integer" if right.contains(&"number") => Some("integer"),
        "number" if right.contains(&"integer") => Some("integer"),
        _ => None,
    };
    left.iter().filter_map(common).collect()
}

/// The first branch that is neither null nor a way back, else a null one.
fn first_branch<'a>(
    root: &Value,
    branches: &'a [Value],
    active: &[*const Value],
) -> Option<&'a Value> {
    let goes_back = |branch: &Value| {
        let reference = branch.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| local(root, reference));
        target.is_some_and(|target| active.contains(&ptr::from_ref(target)))
    };
    let open = |branch: &&Value| **branch != Value::Bool(false) && !goes_back(branch);
    let mut open_branches = branches.iter().filter(open);
    open_branches
        .clone()
        .find(|branch| !is_null(branch))
        .or(open_branches.next())
        .or(branches.first())
}

fn is_null(schema: &Value) -> bool {
    let only = |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_null));
    schema.get("type").is_some_and(|name| type_names(name) == ["null"])
        || schema.get("const").is_some_and(Value::is_null)
        || schema.get("enum").is_some_and(only)
}
