//! The schemas of the control API that do not come from a type.

use serde_json::{Map, Value, json};

use crate::provider::faults;

/// What precedes the names of the definitions of faults.
const FAULTS: &str = "faults_";

/// Returns the definitions that the document needs.
pub(super) fn definitions() -> Map<String, Value> {
    let mut definitions = fault_definitions();
    definitions.insert("Error".to_owned(), error());
    definitions
}

/// Returns the definitions of faults, with that of faults and their component and session.
fn fault_definitions() -> Map<String, Value> {
    let schema = faults::SCHEMA.replace("#/$defs/", &format!("#/components/schemas/{FAULTS}"));
    // The schema is valid JSON, as tests check.
    let mut schema: Value = serde_json::from_str(&schema).unwrap_or_default();
    let target = fault_target(schema["$defs"]["fault"].clone(), schema["oneOf"][1].take());
    let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
    let named = definitions.into_iter().map(|(name, schema)| (format!("{FAULTS}{name}"), schema));
    named.chain([("FaultTarget".to_owned(), target)]).collect()
}

/// Returns the schema of a fault, or of a list of faults, with a component and a session.
fn fault_target(mut fault: Value, mut list: Value) -> Value {
    let name = |description: &str| {
        json!({
            "description": description,
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
        })
    };
    // A list of faults can take the place of the keys of a fault.
    if let Some(effects) = fault["anyOf"].as_array_mut() {
        effects.push(json!({"required": ["faults"], "properties": {"faults": {"type": "array"}}}));
    }
    list["description"] = "A list of faults instead of one.".into();
    list["type"] = json!(["array", "null"]);
    let properties = &mut fault["properties"];
    properties["component"] = name("The component whose calls have the fault. Default: all.");
    properties["session"] = name("The session whose calls have the fault. Default: all.");
    properties["faults"] = list;
    fault
}

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

fn error() -> Value {
    json!({
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
        "additionalProperties": false,
    })
}
