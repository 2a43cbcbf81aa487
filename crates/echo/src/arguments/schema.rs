//! The keywords of all schemas that apply to one value.

use std::slice;

use serde_json::{Map, Value};

/// A schema object.
pub(super) type Layer = Map<String, Value>;

/// All schema objects that apply to one value.
#[derive(Debug, Default)]
pub(super) struct FlatSchema<'a> {
    pub(super) layers: Vec<&'a Layer>,
    /// How many of the layers are not in a branch of `anyOf` or `oneOf`. They come first.
    pub(super) outer: usize,
    /// Whether exactly one of several branches must hold.
    pub(super) has_one_of: bool,
    /// The targets of `$ref` among the layers.
    pub(super) ref_targets: Vec<*const Value>,
    /// An unresolvable `$ref` or an unsupported keyword, if there is one.
    pub(super) unsupported: Option<&'a str>,
}

/// The types that schemas without `type` have by their keywords.
const TYPES_BY_KEYWORD: [(&str, &[&str]); 3] = [
    ("object", &["properties", "required", "additionalProperties", "minProperties"]),
    ("array", &["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

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
        let mut types =
            self.values("type").map(type_names).filter(|it| it.clone().next().is_some());
        let Some(first) = types.next() else { return Some(self.type_by_keyword()) };
        let mut common: Vec<&str> = first.collect();
        for allowed in types {
            common.retain_mut(|name| narrow(name, allowed.clone()));
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
    layer.get(keyword).map_or(&[], list)
}

/// Returns the items of an array, or an empty slice if the value is not an array.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the names in a `type`, which is a string or an array of strings.
pub(super) fn type_names(value: &Value) -> impl Iterator<Item = &str> + Clone {
    let names = value.as_array().map_or(slice::from_ref(value), Vec::as_slice);
    // JSON Schema has only seven types.
    names.iter().take(7).filter_map(Value::as_str)
}

/// Returns `true` if a type is allowed. A number that must also be an integer becomes one.
fn narrow<'t>(name: &mut &str, mut allowed: impl Iterator<Item = &'t str> + Clone) -> bool {
    let is_number = allowed.clone().any(|it| it == "number");
    if *name == "number" && !is_number {
        *name = "integer";
    }
    allowed.any(|it| it == *name) || *name == "integer" && is_number
}

/// Reads a length or a count. A protobuf Struct turns 5 into 5.0.
fn as_count(value: &Value) -> Option<usize> {
    let number = value.as_f64().filter(|number| *number >= 0.0)?;
    Some(number.ceil() as usize)
}
