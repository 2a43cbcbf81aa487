//! Parts of JSON Schemas that require keys. In mynah's files, a key whose value is null is the same
//! as a missing key.

use serde_json::{Map, Value, json};

/// Returns a schema for each key: an object in which the key has a value that is not null.
pub fn having(keys: &[&str]) -> Value {
    let object = |key| json!({ "type": "object", "required": [key], "properties": not_null(key) });
    keys.iter().map(object).collect()
}

/// Returns a schema of objects in which no key has a value other than null.
pub fn lacking(keys: &[&str]) -> Value {
    json!({ "not": { "anyOf": having(keys) } })
}

fn not_null(key: &&str) -> Value {
    Map::from_iter([((*key).to_owned(), json!({ "not": { "type": "null" } }))]).into()
}
