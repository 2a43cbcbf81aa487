//! Reads parameters that are written as text by the JSON Schema of the arguments.

use serde_json::Value;

/// Splits parameters at each `, ` that is followed by the name of a property and `: `.
pub(super) fn split(parameters: &str, is_property: impl Fn(&str) -> bool) -> Vec<(&str, &str)> {
    let is_start =
        |piece: &str| piece.split_once(": ").is_some_and(|(name, _)| is_property(name.trim()));
    let (mut pairs, mut start) = (Vec::new(), 0);
    let ends = parameters.match_indices(", ").map(|(at, _)| (at, at + 2));
    for (end, next) in ends.chain([(parameters.len(), parameters.len())]) {
        // Only the text up to the next comma can be the name of a property.
        let piece = parameters[next..].split(", ").next().unwrap_or_default();
        if end == parameters.len() || is_start(piece) {
            pairs.extend(parameters[start..end].split_once(": "));
            start = next;
        }
    }
    pairs
}

/// Reads a value. Text that is JSON is parsed, unless the schema allows only a string.
pub(super) fn read_value(text: &str, schema: Option<&Value>) -> Value {
    match serde_json::from_str(text) {
        Ok(value) if schema.is_none_or(|schema| allows(schema, &value)) => value,
        Ok(value) if !schema.is_some_and(|schema| allows(schema, &text.into())) => value,
        Ok(_) | Err(_) => text.into(),
    }
}

/// Returns `true` if a schema allows the type of a value. Keywords other than `type`, `enum`,
/// `const`, `anyOf` and `oneOf` are ignored.
fn allows(schema: &Value, value: &Value) -> bool {
    let any = |schemas: &Value| {
        schemas.as_array().is_some_and(|all| all.iter().any(|schema| allows(schema, value)))
    };
    if let Some(kind) = schema.get("type") {
        let is_kind = |kind: &Value| kind.as_str().is_some_and(|kind| is_of_type(value, kind));
        return is_kind(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_kind));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.contains(value);
    }
    match (schema.get("const"), schema.get("anyOf").or_else(|| schema.get("oneOf"))) {
        (Some(only), _) => only == value,
        (None, Some(schemas)) => any(schemas),
        (None, None) => true,
    }
}

fn is_of_type(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(_) => matches!(kind, "number" | "integer"),
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}
