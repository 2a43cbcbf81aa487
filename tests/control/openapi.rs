//! The OpenAPI document describes what is served.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
};

/// Returns a body for an operation.
fn body(path: &str) -> Value {
    match path {
        "/mynah/v1/verify" => json!({"count": {"at_least": 0}}),
        "/mynah/v1/explain" => json!({"request": {"inputs": [{"messages": []}]}}),
        _ => json!({}),
    }
}

/// Returns the schema of an answer, with the definitions that it refers to.
fn schema(document: &Value, answer: &Value) -> Option<Value> {
    let mut schema = answer.pointer("/content/application~1json/schema")?.clone();
    schema["components"] = document["components"].clone();
    Some(schema)
}

fn assert_valid(schema: &Value, answer: &Value) {
    let errors: Vec<_> = jsonschema::validator_for(schema)
        .unwrap()
        .iter_errors(answer)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}\n{answer}");
}

#[tokio::test]
async fn every_operation_answers_as_described() {
    let sidecar = Sidecar::start();
    sidecar.converse(request([user("hi")])).await.unwrap();
    let document = sidecar.get("/mynah/v1/openapi.json").await.json();
    let error =
        schema(&document, &document["paths"]["/mynah/v1/journal"]["get"]["responses"]["default"]);
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            // These would need a body of their own.
            if path.ends_with("/faults") {
                continue;
            }
            let method = method.to_uppercase().parse().unwrap();
            let call = direct_client().request(method, sidecar.url(path));
            let reply = sidecar.send(call.body(body(path).to_string())).await;
            let described = &operation["responses"][reply.status.to_string()];
            assert!(described.is_object(), "{path} answers with {}: {}", reply.status, reply.body);
            if let Some(schema) = schema(&document, described) {
                assert_valid(&schema, &reply.json());
            }
        }
    }
    let unknown = sidecar.get("/mynah/v1/nothing").await;
    assert_eq!(unknown.status, 404);
    assert_valid(&error.unwrap(), &unknown.json());
}

#[tokio::test]
async fn describes_every_route() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/control/service.rs");
    let source = fs::read_to_string(source).unwrap();
    let routes = source.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let routes: BTreeSet<_> = routes.map(str::to_owned).collect();
    let document = Sidecar::start().get("/mynah/v1/openapi.json").await.json();
    let described: BTreeSet<_> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(described, routes);
}
