//! The types of JSON Schema.

use serde_json::Value;

/// Returns the names in a `type`, which is a string or an array of strings.
pub(super) fn type_names(value: &Value) -> Vec<&str> {
    match value {
        // JSON Schema has only seven types.
        Value::Array(names) => names.iter().take(7).filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    }
}

/// Returns the types that both lists allow, in the order of `left`. Integers are also numbers.
pub(super) fn intersection<'a>(left: &[&'a str], right: &[&'a str]) -> Vec<&'a str> {
    let common = |name: &&'a str| match *name {
        name if right.contains(&name) => Some(name),
        "integer" if right.contains(&"number") => Some("integer"),
        "number" if right.contains(&"integer") => Some("integer"),
        _ => None,
    };
    left.iter().filter_map(common).collect()
}

/// Returns `true` if a value has the type `name`. 5.0 is an integer, because a protobuf Struct has
/// only doubles.
pub(super) fn has_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        Value::Number(number) => {
            let is_integer = number.as_f64().is_some_and(|number| number.fract() == 0.0);
            name == "number" || (name == "integer" && is_integer)
        }
    }
}
