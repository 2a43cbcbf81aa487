//! `/mynah/v1/openapi.json`: the description of the control API.

use axum::response::Response;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{explain::ExplainRequest, verify::VerifyRequest};
use crate::{
    api::http::response,
    engine::{explain::Explanation, verdict::Verdict, verify::Verification},
};

/// Returns the description of the control API.
pub(super) async fn get() -> Response {
    response::json(document().to_string())
}

fn document() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut schemas = settings.into_generator();
    let paths = paths(&mut schemas);
    let mut definitions = schemas.take_definitions(true);
    definitions.insert("Entry".to_owned(), entry());
    definitions.insert("Error".to_owned(), error());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "mynah control API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What tests can ask a sidecar.",
        },
        "paths": paths,
        "components": {"schemas": definitions},
    })
}

fn paths(schemas: &mut SchemaGenerator) -> Value {
    let journal = json!({
        "type": "object",
        "properties": {
            "entries": {"type": "array", "items": {"$ref": "#/components/schemas/Entry"}},
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
    let verification = schemas.subschema_for::<Verification>().to_value();
    let verify = schemas.subschema_for::<VerifyRequest>().to_value();
    let explain = schemas.subschema_for::<ExplainRequest>().to_value();
    let explanation = schemas.subschema_for::<Explanation>().to_value();
    let verdict = schemas.subschema_for::<Verdict>().to_value();
    let all = ["session", "component", "since", "limit"];
    let fault = json!({"type": "object", "description": "component, session and faults"});
    let mut verified = operation("Check the calls", &[], Some(verify), Some(verification.clone()));
    verified["responses"]["409"] = answer("Not as expected", Some(verification));
    json!({
        "/mynah/v1/journal": {
            "get": operation("List the calls", &all, None, Some(journal)),
            "delete": operation("Remove calls", &all[..2], None, Some(removed)),
        },
        "/mynah/v1/reset": {
            "post": operation("Reset a session, or all", &all[..1], None, None),
        },
        "/mynah/v1/verify": {"post": verified},
        "/mynah/v1/explain": {
            "post": operation("Explain which rule answers", &[], Some(explain), Some(explanation)),
        },
        "/mynah/v1/faults": {
            "put": operation("Set the faults of a component and a session", &[], Some(fault), None),
            "delete": operation("Remove the faults of a session, or all", &all[..1], None, None),
        },
        "/mynah/v1/verdict": {
            "get": operation("Judge the retries of the client", &all[..3], None, Some(verdict)),
        },
        "/mynah/v1/openapi.json": {
            "get": operation("Describe this API", &[], None, Some(json!({"type": "object"}))),
        },
    })
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
        "since" => ("integer", "Only calls after the one with this number"),
        _ => ("integer", "The maximum number of calls"),
    };
    json!({"name": name, "in": "query", "description": description, "schema": {"type": kind}})
}

fn entry() -> Value {
    json!({
        "type": "object",
        "properties": {
            "number": {"type": "integer"},
            "time": {"type": "string", "format": "date-time"},
            "duration_ms": {"type": "number"},
            "surface": {"enum": ["grpc", "http", "openai", "component", null]},
            "session": {"type": "string"},
            "component": {"type": "string"},
            "stream": {"type": "boolean"},
            "api": {"enum": ["alpha1", "alpha2", "openai"]},
            "request": {"description": "The request as the client sent it"},
            "outcome": {"enum": ["ok", "failed", "cancelled"]},
            "response": {"type": "object"},
            "error": {
                "type": "object",
                "properties": {
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                    "retry_after_ms": {"type": "number"},
                },
                "required": ["code", "message"],
            },
            "answered_by": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["number", "time", "duration_ms", "session", "component", "outcome"],
    })
}

fn error() -> Value {
    json!({
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
    })
}
