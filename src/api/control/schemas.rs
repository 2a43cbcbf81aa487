//! The schemas of the control API that do not come from a type.

use serde_json::{Value, json};

/// Returns the schema of the rules of a session. `mynah schema rules` prints that of each rule.
pub(super) fn rules() -> Value {
    json!({
        "type": "object",
        "properties": {
            "rules": {"type": "array", "minItems": 1, "items": {"type": "object"}},
            "expect": false,
        },
        "anyOf": [{"required": ["rules"]}, {"required": ["fixtures"]}],
    })
}

/// Returns the schema of an error.
pub(super) fn error() -> Value {
    json!({
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
        "additionalProperties": false,
    })
}
