//! The schemas of the control API that do not come from a type.

use serde_json::{Map, Value, json};

use crate::{chat::MissingPart, provider::faults};

/// What precedes the names of the definitions of faults.
const FAULTS: &str = "faults_";

/// Returns the definitions that the document needs.
pub(super) fn definitions() -> Map<String, Value> {
    let mut definitions = fault_definitions();
    definitions.insert("Entry".to_owned(), entry());
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

fn entry() -> Value {
    json!({
        "description": "A call.",
        "type": "object",
        "properties": {
            "number": {"type": "integer"},
            "time": {"type": "string", "format": "date-time"},
            "duration_ms": {"type": "number"},
            "surface": {"enum": ["grpc", "http", "openai", "component", null]},
            "session": {"type": "string"},
            "component": {"type": "string"},
            "stream": {"type": "boolean"},
            "api": {"enum": ["alpha1", "alpha2", "openai", "responses"]},
            "request": {"description": "The request as the client sent it."},
            "outcome": {"enum": ["ok", "failed", "cancelled"]},
            "response": response(),
            "error": {
                "type": "object",
                "properties": {
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                    "retry_after_ms": {"type": "number"},
                },
                "required": ["code", "message"],
                "additionalProperties": false,
            },
            "answered_by": {"type": "array", "items": {"anyOf": answers()}},
        },
        "required": [
            "number", "time", "duration_ms", "surface", "session", "component", "stream",
            "outcome", "answered_by",
        ],
        "additionalProperties": false,
    })
}

fn response() -> Value {
    let tool_call = json!({
        "type": "object",
        "properties": {
            "id": {"type": ["string", "null"]},
            "name": {"type": "string"},
            "arguments": {"type": "string"},
        },
        "required": ["id", "name", "arguments"],
        "additionalProperties": false,
    });
    let usage = json!({
        "type": "object",
        "properties": {
            "prompt_tokens": {"type": "integer"},
            "completion_tokens": {"type": "integer"},
            "total_tokens": {"type": "integer"},
        },
        "required": ["prompt_tokens", "completion_tokens", "total_tokens"],
        "additionalProperties": false,
    });
    let missing = MissingPart::ALL.map(|(name, _)| name);
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "tool_calls": {"type": "array", "items": tool_call},
            "finish_reason": {"type": "string"},
            "model": {"type": "string"},
            "usage": usage,
            "missing": {"description": "The part that a fault has left out.", "enum": missing},
        },
        "additionalProperties": false,
    })
}

/// Returns the schemas of what can make a turn of an answer.
fn answers() -> [Value; 3] {
    let answer = |properties: Value, required: &[&str]| {
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    let step = || json!({"type": "integer"});
    [
        answer(json!({"rule": {"type": "string"}, "step": step()}), &["rule"]),
        answer(json!({"fault": {"const": true}}), &["fault"]),
        answer(
            json!({"chain_in_message": {"type": "integer"}, "step": step()}),
            &["chain_in_message", "step"],
        ),
    ]
}

fn error() -> Value {
    json!({
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
        "additionalProperties": false,
    })
}
