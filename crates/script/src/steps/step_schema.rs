//! The parts of the JSON Schema of steps that are about several keys.

use mynah_core::base::schema_keys::having;
use schemars::Schema;
use serde_json::{Value, json};

use super::keys::{AN_ERROR, ANSWERS, EXCLUDED, FAILURES, MESSAGES, RESPOND, TIMES};

/// Adds which keys a step needs, and which exclude each other.
pub(super) fn add_step_rules(schema: &mut Schema) {
    let present = |keys: &[&str]| keys.iter().map(|key| present(key)).collect::<Value>();
    let both: Vec<_> = EXCLUDED.iter().map(|pair| json!({ "allOf": present(pair) })).collect();
    schema.insert("anyOf".to_owned(), present(&ANSWERS));
    schema.insert("not".to_owned(), json!({ "anyOf": both }));
    schema.insert("if".to_owned(), having(&[TIMES])[0].take());
    schema.insert("then".to_owned(), json!({ "anyOf": present(&FAILURES) }));
}

/// Adds that a list of items with an error has no tool calls.
pub(super) fn exclude_calls_and_error(schema: &mut Schema) {
    let contains = |key| json!({ "contains": having(&[key])[0] });
    let both = json!({ "allOf": [contains("tool_call"), contains("error")], "type": "array" });
    schema.insert("not".to_owned(), both);
}

/// Adds that exactly one of the keys has a value.
pub(super) fn require_one_key(schema: &mut Schema) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let keys: Vec<_> = properties.into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    let one = having(&keys);
    schema.insert("oneOf".to_owned(), one);
}

/// Adds that a call has only one kind of arguments.
pub(super) fn exclude_raw_args(schema: &mut Schema) {
    schema.insert("not".to_owned(), json!({ "allOf": having(&["args", "raw_args"]) }));
}

/// Returns the schema of a step with a value that is neither null nor an empty list.
fn present(key: &str) -> Value {
    if key == AN_ERROR {
        let contains = json!({ "type": "array", "contains": having(&["error"])[0] });
        let of_list = |key: &str| json!({ "required": [key], "properties": { (key): contains } });
        return json!({ "anyOf": [present("error"), of_list(MESSAGES), of_list(RESPOND)] });
    }
    json!({ "required": [key], "properties": { (key): { "not": { "enum": [null, []] } } } })
}
