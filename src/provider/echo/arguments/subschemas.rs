//! Finds the schemas that apply to the properties of an object and to the items of an array.

use serde_json::{Map, Value};

use super::schema::{FlatSchema, array};

/// Returns the schemas that apply to the property `name`.
pub(super) fn property_schemas<'a>(flat: &FlatSchema<'a>, name: &str) -> Vec<&'a Value> {
    let schema = |layer: &&'a Map<String, Value>| {
        let named = layer.get("properties").and_then(|properties| properties.get(name));
        let other = || {
            layer.get("additionalProperties").filter(|_| !layer.contains_key("patternProperties"))
        };
        named.or_else(other)
    };
    flat.layers.iter().filter_map(schema).collect()
}

/// Returns the schemas that apply to the first items, one schema for each item. Before draft
/// 2020-12, `items` contained them.
pub(super) fn prefix_schemas(layer: &Map<String, Value>) -> &[Value] {
    let keyword = if layer.contains_key("prefixItems") { "prefixItems" } else { "items" };
    array(layer, keyword)
}

/// Returns the schemas that apply to the item at `index`.
pub(super) fn item_schemas<'a>(flat: &FlatSchema<'a>, index: usize) -> Vec<&'a Value> {
    let schema = |layer: &&'a Map<String, Value>| {
        let rest = if layer.get("items").is_some_and(Value::is_array) {
            "additionalItems"
        } else {
            "items"
        };
        prefix_schemas(layer).get(index).or_else(|| layer.get(rest))
    };
    flat.layers.iter().filter_map(schema).collect()
}
