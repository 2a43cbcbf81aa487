//! Generates `schemas/openapi.json`, for a test that compares it.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::super::{
    explain::ExplainRequest,
    sessions::{OpenSession, OpenSessions},
    verify::VerifyRequest,
};
use crate::{
    engine::{
        explain::Explanation,
        faults::ShownFaults,
        journal::{CallOutcome, ShownEntry},
        verdict::Verdict,
        verify::Verification,
    },
    provider::faults::FaultTarget,
};

/// Returns the description of the control API without a version.
pub fn generate() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut bodies = settings.clone().into_generator();
    let mut answers = settings.for_serialize().into_generator();
    let paths = paths(&mut bodies, &mut answers);
    let mut definitions = bodies.take_definitions(true);
    definitions.extend(answers.take_definitions(true));
    definitions.insert("Error".to_owned(), error_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "mynah control API",
            "description": "What tests can ask a sidecar.",
        },
        "paths": paths,
        "components": {"schemas": definitions},
    })
}

fn paths(bodies: &mut SchemaGenerator, answers: &mut SchemaGenerator) -> Value {
    let entry = answers.subschema_for::<ShownEntry>().to_value();
    let journal = json!({
        "type": "object",
        "properties": {
            "entries": {"type": "array", "items": entry},
            "next": {"type": "integer", "description": "The number of the last entry"},
            "more": {"type": "boolean", "description": "Whether more entries are selected"},
            "dropped": {"type": "integer", "description": "Entries dropped for lack of room"},
        },
        "required": ["entries", "next", "more", "dropped"],
    });
    let removed = json!({
        "type": "object",
        "properties": {"removed": {"type": "integer"}},
        "required": ["removed"],
    });
    let verification = answers.subschema_for::<Verification>().to_value();
    let verify = bodies.subschema_for::<VerifyRequest>().to_value();
    let explain = bodies.subschema_for::<ExplainRequest>().to_value();
    let explanation = answers.subschema_for::<Explanation>().to_value();
    let verdict = answers.subschema_for::<Verdict>().to_value();
    let sessions = answers.subschema_for::<OpenSessions>().to_value();
    let addresses = answers.subschema_for::<OpenSession>().to_value();
    let open = operation("Open the addresses of a session", &[], None, Some(addresses.clone()));
    let show = operation("Show the addresses of a session", &[], None, Some(addresses));
    let all = ["session", "component", "outcome", "since", "limit", "normalized"];
    let of_verdict = ["session", "component", "since"];
    let faults = answers.subschema_for::<ShownFaults>().to_value();
    let faults = json!({
        "type": "object",
        "properties": {"faults": {"type": "array", "items": faults}},
        "required": ["faults"],
    });
    let fault = bodies.subschema_for::<FaultTarget>().to_value();
    let mut verified = operation("Check the calls", &[], Some(verify), Some(verification.clone()));
    verified["responses"]["409"] = answer("Not as expected", Some(verification));
    json!({
        "/mynah/v1/journal": {
            "get": operation("List the calls", &all, None, Some(journal)),
            "delete": operation("Remove calls", &all[..3], None, Some(removed)),
        },
        "/mynah/v1/journal/events": {
            "get": as_events(operation("Follow the calls", &all[..4], None, Some(json!({"type": "string"})))),
        },
        "/mynah/v1/report": {
            "get": as_text(operation("Describe the latest calls", &all[..4], None, Some(json!({"type": "string"})))),
        },
        "/mynah/v1/reset": {
            "post": operation("Reset a session, or all", &all[..1], None, None),
        },
        "/mynah/v1/verify": {"post": verified},
        "/mynah/v1/explain": {
            "post": operation("Explain which rule answers, and which tools echo calls", &[], Some(explain), Some(explanation)),
        },
        "/mynah/v1/rules": {
            "get": as_yaml(operation("Show the rules", &all[..1], None, Some(rules_schema(true)))),
            "put": as_yaml(operation("Set the rules", &all[..1], Some(rules_schema(false)), None)),
            "post": as_yaml(operation("Add rules", &all[..1], Some(rules_schema(true)), None)),
            "delete": operation("Remove the rules of a session, or all", &all[..1], None, None),
        },
        "/mynah/v1/faults": {
            "get": operation("Show the faults that tests have set", &all[..1], None, Some(faults)),
            "put": operation("Set the faults of a component and a session", &[], Some(fault), None),
            "delete": operation("Remove the faults of a session, or all", &all[..1], None, None),
        },
        "/mynah/v1/verdict": {
            "get": operation("Judge the retries of the client", &of_verdict, None, Some(verdict)),
        },
        "/mynah/v1/sessions": {
            "get": operation("List the sessions with addresses", &[], None, Some(sessions)),
        },
        "/mynah/v1/sessions/{name}": {
            "get": of_session(show),
            "put": of_session(open),
            "delete": of_session(operation("Close the addresses of a session", &[], None, None)),
        },
        "/mynah/v1/openapi.json": {
            "get": operation("Describe this API", &[], None, Some(json!({"type": "object"}))),
        },
    })
}

/// Returns an operation whose body or answer is YAML, for one session.
fn as_yaml(mut operation: Value) -> Value {
    operation["parameters"][0]["required"] = true.into();
    for part in ["/requestBody/content", "/responses/200/content"] {
        set_content(&mut operation, part, "application/yaml");
    }
    operation
}

/// Changes the media type of a body or an answer.
fn set_content(operation: &mut Value, part: &str, media_type: &str) {
    if let Some(content) = operation.pointer_mut(part).and_then(Value::as_object_mut) {
        let schema = content.remove("application/json").unwrap_or_default();
        content.insert(media_type.to_owned(), schema);
    }
}

/// Returns an operation whose answer is a text.
fn as_text(mut operation: Value) -> Value {
    set_content(&mut operation, "/responses/200/content", "text/plain");
    operation
}

/// Returns an operation whose answer is a stream of server-sent events.
fn as_events(mut operation: Value) -> Value {
    let last = json!({
        "name": "Last-Event-ID", "in": "header", "schema": {"type": "integer", "minimum": 0},
        "description": "The number of the last call that the reader has, instead of since",
    });
    operation["parameters"].as_array_mut().into_iter().for_each(|all| all.push(last.clone()));
    set_content(&mut operation, "/responses/200/content", "text/event-stream");
    operation
}

/// Returns an operation on the session in the path.
fn of_session(mut operation: Value) -> Value {
    let schema = json!({"type": "string", "minLength": 1});
    let name = json!({"name": "name", "in": "path", "required": true, "schema": schema});
    operation["parameters"] = json!([name]);
    operation
}

/// Returns an operation. Without a schema for its answer, it answers 204.
fn operation(
    summary: &str,
    parameters: &[&str],
    body: Option<Value>,
    schema: Option<Value>,
) -> Value {
    let status = if schema.is_some() { "200" } else { "204" };
    let mut responses = Map::new();
    responses.insert(status.to_owned(), answer("Done", schema));
    let error = json!({"$ref": "#/components/schemas/Error"});
    responses.insert("default".to_owned(), answer("An error", Some(error)));
    let mut operation = json!({
        "summary": summary,
        "parameters": parameters.iter().map(|name| parameter(name)).collect::<Vec<_>>(),
        "responses": responses,
    });
    if let Some(schema) = body {
        let content = json!({"application/json": {"schema": schema}});
        operation["requestBody"] = json!({"required": true, "content": content});
    }
    operation
}

fn answer(description: &str, schema: Option<Value>) -> Value {
    match schema {
        Some(schema) => {
            let content = json!({"application/json": {"schema": schema}});
            json!({"description": description, "content": content})
        }
        None => json!({"description": description}),
    }
}

fn parameter(name: &str) -> Value {
    let (kind, description) = match name {
        "session" => ("string", "Only calls of this session"),
        "component" => ("string", "Only calls to this component"),
        "outcome" => ("string", "Only calls that have ended so"),
        "since" => ("integer", "Only calls after the one with this number"),
        "normalized" => {
            ("boolean", "Whether to add messages, tools and parameters in one form for all APIs")
        }
        _ => ("integer", "The maximum number of calls"),
    };
    let mut schema = json!({"type": kind});
    if name == "outcome" {
        schema["enum"] = json!(CallOutcome::ALL.map(CallOutcome::as_str));
    } else if kind == "string" {
        schema["minLength"] = 1.into();
    } else if kind == "integer" {
        schema["minimum"] = 0.into();
    }
    json!({"name": name, "in": "query", "description": description, "schema": schema})
}

/// Returns the schema of the rules of a session. `mynah schema rules` prints that of each rule.
fn rules_schema(can_expect: bool) -> Value {
    json!({
        "type": "object",
        "properties": {
            "rules": {"type": "array", "minItems": 1, "items": {"type": "object"}},
            "expect": can_expect,
        },
        "anyOf": [{"required": ["rules"]}, {"required": ["fixtures"]}],
    })
}

/// Returns the schema of an error.
fn error_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
        "additionalProperties": false,
    })
}
