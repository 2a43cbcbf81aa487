//! The OpenAPI document describes what is served.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, tool, user},
    scratch,
};

const RULES: &str = "\
rules:
- name: failure
  match: {user: fail}
  sequence: [{error: {code: UNAVAILABLE, retry_after: 1s}}]
- name: tool
  match: {user: tool}
  respond: [{tool_call: [{name: lookup, args: {key: a}}]}]
";

/// Rules in a second file, so that the journal names files.
const MORE_RULES: &str = "\
rules:
- name: weather
  match: {user: weather}
  respond: {reasoning: It is June., messages: [{text: Sunny.}]}
";

fn sidecar() -> Sidecar {
    let folder = scratch("rules");
    fs::write(folder.join("more.yaml"), MORE_RULES).unwrap();
    fs::write(folder.join("rules.yaml"), RULES).unwrap();
    Sidecar::start_with(&["--rules", folder.to_str().unwrap()])
}

/// An operation, with bodies that are valid and bodies that are not.
struct Operation {
    method: &'static str,
    path: &'static str,
    /// Each with its status.
    valid: Vec<(Value, u16)>,
    invalid: Vec<Value>,
}

fn operation(method: &'static str, path: &'static str, status: u16) -> Operation {
    Operation { method, path, valid: vec![(Value::Null, status)], invalid: Vec::new() }
}

/// Returns all operations.
fn operations() -> Vec<Operation> {
    let request = json!({"inputs": [{"messages": [{"ofUser": {"content": [{"text": "fail"}]}}]}]});
    let offering = json!({
        "inputs": [{"messages": [{"ofUser": {"content": [{"text": "Look up the price of 'tea'"}]}}]}],
        "tools": [
            {"function": {"name": "get_price", "parameters": {"type": "object", "properties": {
                "item": {"type": "string"}, "unit": {"enum": ["EUR"]}, "count": {"type": "integer"},
            }, "required": ["item", "unit"]}}},
            {"function": {"name": "find_shop"}},
        ],
    });
    let fault = json!({"fail_first": 1, "error": {"code": "ABORTED", "retry_after": "1s"}});
    vec![
        operation("get", "journal?normalized=true", 200),
        operation("delete", "journal", 200),
        operation("get", "verdict", 200),
        operation("post", "reset", 204),
        operation("get", "faults", 200),
        operation("delete", "faults", 204),
        Operation {
            method: "put",
            path: "rules?session=a",
            valid: vec![
                (json!({"rules": [{"respond": "a"}]}), 204),
                (
                    json!({"fixtures": [{"match": {"userMessage": "a"}, "response": {"content": "b"}}]}),
                    204,
                ),
            ],
            invalid: vec![
                json!([]),
                json!({}),
                json!({"rules": []}),
                json!({"rules": {}}),
                json!({"rules": ["a"]}),
                json!({"rules": [{"respond": "a"}], "expect": [{}]}),
            ],
        },
        Operation {
            method: "post",
            path: "rules?session=a",
            valid: vec![
                (json!({"rules": [{"respond": "a"}]}), 204),
                (json!({"rules": [{"respond": "a"}], "expect": [{"count": 1}]}), 204),
            ],
            invalid: vec![json!([]), json!({}), json!({"rules": []})],
        },
        operation("delete", "rules?session=a", 204),
        operation("put", "sessions/{name}", 200),
        operation("get", "sessions/{name}", 200),
        operation("get", "sessions", 200),
        operation("delete", "sessions/{name}", 204),
        operation("get", "openapi.json", 200),
        Operation {
            method: "post",
            path: "verify",
            valid: vec![
                (json!({"count": {"at_least": 4}, "unused": true, "no_unmatched": false}), 200),
                (json!({"match": {"user": {"equals": "weather"}}, "session": "default"}), 200),
                (json!({"expect": [{"name": "a", "match": {"user": "ail"}, "count": 9}]}), 409),
                (json!({"no_unmatched": true, "match": {"user": "nothing"}}), 409),
                (json!({"count": 5, "scrubbed": true, "wait": "1s"}), 200),
            ],
            invalid: vec![
                json!([]),
                json!({"cont": 1}),
                json!({"count": "1"}),
                json!({"count": {}}),
                json!({"match": {"usr": "a"}}),
                json!({"expect": {}}),
                json!({"count": 1, "session": ""}),
                json!({"count": 1, "since": -1}),
                json!({"count": 1, "scrubbed": "yes"}),
                json!({"count": 1, "wait": 1}),
            ],
        },
        Operation {
            method: "post",
            path: "explain",
            valid: vec![
                (json!({"request": request, "session": "a", "model": "m"}), 200),
                (json!({"request": request, "api": "alpha2", "component": "echo"}), 200),
                (json!({"request": offering}), 200),
            ],
            invalid: vec![
                json!({}),
                json!({"request": request, "api": "alpha3"}),
                json!({"request": request, "component": 1}),
                json!({"request": request, "session": ""}),
            ],
        },
        Operation {
            method: "put",
            path: "faults",
            valid: vec![
                (fault.clone(), 204),
                (json!({"component": "echo", "session": "a", "faults": [fault]}), 204),
                (json!({"component": null, "faults": []}), 204),
            ],
            invalid: vec![
                json!([]),
                json!({"fail": 1}),
                json!({"error": {"code": "BUSY"}}),
                json!({"faults": {}}),
                json!({"faults": [{"hang": 1}]}),
                json!({"session": "", "hang": true}),
            ],
        },
    ]
}

/// Makes calls that succeed and fail, with and without rules.
async fn call(sidecar: &Sidecar) {
    for text in ["weather", "fail", "tool", "echo"] {
        let mut call = request([user(text)]);
        call.tools.push(tool("lookup", json!({"type": "object"})));
        let _ = sidecar.converse(call).await;
    }
    sidecar.post("/v1/chat/completions", "{").await;
    let messages = json!([{"role": "user", "content": "weather"}]);
    let call = json!({"model": "echo", "messages": messages}).to_string();
    let traced = direct_client().post(sidecar.url("/v1/chat/completions")).body(call);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    sidecar.send(traced.header("traceparent", trace)).await;
}

/// Returns the schema of an answer, with the definitions that it refers to.
fn schema(document: &Value, answer: &Value) -> Option<Value> {
    let content = answer.get("content")?.as_object()?.values().next()?;
    let mut schema = content["schema"].clone();
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
async fn every_operation_is_as_described() {
    let sidecar = sidecar();
    let document = sidecar.get("/mynah/v1/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap().values();
    let described: usize = paths.map(|operations| operations.as_object().unwrap().len()).sum();
    let operations = operations();
    // What shows the rules of a session, the report, and what follows the journal have no JSON.
    assert_eq!(described, operations.len() + 3);
    for Operation { method, path, valid, invalid } in operations {
        let path = format!("/mynah/v1/{path}");
        let described = &document["paths"][path.split('?').next().unwrap()][method];
        let body_schema = schema(&document, &described["requestBody"]);
        let send = async |body: &Value| {
            let body = if body.is_null() { String::new() } else { body.to_string() };
            let method = method.to_uppercase().parse().unwrap();
            let url = sidecar.url(&path.replace("{name}", "a%2Fb"));
            sidecar.send(direct_client().request(method, url).body(body)).await
        };
        for (body, status) in valid {
            assert_eq!(body.is_null(), body_schema.is_none(), "{path}");
            body_schema.iter().for_each(|schema| assert_valid(schema, &body));
            call(&sidecar).await;
            let reply = send(&body).await;
            assert_eq!(reply.status, status, "{path} {body}: {}", reply.body);
            let response = &described["responses"][status.to_string()];
            assert!(response.is_object(), "{path} {status}");
            match schema(&document, response) {
                Some(schema) => assert_valid(&schema, &reply.json()),
                None => assert_eq!(reply.body, ""),
            }
            let reset = direct_client().post(sidecar.url("/mynah/v1/reset"));
            assert_eq!(sidecar.send(reset).await.status, 204);
        }
        for body in invalid {
            let schema = jsonschema::validator_for(body_schema.as_ref().unwrap()).unwrap();
            assert!(!schema.is_valid(&body), "{path}: the schema accepts {body}");
            let reply = send(&body).await;
            assert_eq!(reply.status, 400, "{path} {body}: {}", reply.body);
            assert_error(&document, &reply.json());
        }
    }
    let unknown = sidecar.get("/mynah/v1/nothing").await;
    assert_eq!(unknown.status, 404);
    assert_error(&document, &unknown.json());
}

#[tokio::test]
async fn a_wrong_method_names_the_right_ones() {
    let sidecar = Sidecar::start();
    for (method, path, allow, help) in [
        ("POST", "faults", "GET,HEAD,PUT,DELETE", "GET or PUT or DELETE"),
        ("GET", "reset", "POST", "POST"),
        ("PUT", "journal", "GET,HEAD,DELETE", "GET or DELETE"),
        ("DELETE", "verdict", "GET,HEAD", "GET"),
    ] {
        let url = sidecar.url(&format!("/mynah/v1/{path}"));
        let request = direct_client().request(method.parse().unwrap(), url);
        let response = request.send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), response.headers()["allow"].to_str().unwrap()),
            (405, allow)
        );
        let expected = format!("{method} /mynah/v1/{path} is not served; use {help}");
        let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        assert_eq!(body, json!({ "error": expected }));
    }
}

fn assert_error(document: &Value, answer: &Value) {
    let default = &document["paths"]["/mynah/v1/journal"]["get"]["responses"]["default"];
    assert_valid(&schema(document, default).unwrap(), answer);
}

/// The journal that the test above validates has what an entry can have.
#[tokio::test]
async fn described_entries_have_all_keys() {
    let sidecar = sidecar();
    call(&sidecar).await;
    let journal = sidecar.get("/mynah/v1/journal?normalized=true").await.json();
    let entries = journal["entries"].as_array().unwrap();
    let document = sidecar.get("/mynah/v1/openapi.json").await.json();
    let known = document["components"]["schemas"]["Entry"]["properties"].as_object().unwrap();
    for key in known.keys() {
        assert!(entries.iter().any(|entry| entry.get(key).is_some()), "{key}");
    }
    assert!(entries.iter().any(|entry| entry["response"]["tool_calls"].is_array()));
    assert!(entries.iter().any(|entry| entry["response"]["reasoning"].is_string()));
    assert!(entries.iter().any(|entry| entry["answered_by"][0]["file"].is_string()));
    assert!(entries.iter().any(|entry| entry["error"]["retry_after_ms"].is_number()));
}

/// What an entry never has is not described.
#[tokio::test]
async fn entries_are_described_without_what_they_never_have() {
    let sidecar = sidecar();
    call(&sidecar).await;
    let document = sidecar.get("/mynah/v1/openapi.json").await.json();
    let described = &document["paths"]["/mynah/v1/journal"]["get"]["responses"]["200"];
    let validator = jsonschema::validator_for(&schema(&document, described).unwrap()).unwrap();
    let journal = sidecar.get("/mynah/v1/journal?normalized=true").await.json();
    assert!(validator.is_valid(&journal));
    for (pointer, never) in [
        ("/number", json!("1")),
        ("/surface", json!("gRPC")),
        ("/messages/0/text", json!(null)),
        ("/messages/0/name", json!(null)),
        ("/tools/0/description", json!(null)),
        ("/parameters", json!(null)),
        ("/response", json!(null)),
        ("/response/text", json!(null)),
        ("/response/reasoning", json!(null)),
        ("/response/finish_reason", json!(null)),
        ("/response/model", json!(null)),
        ("/response/usage", json!(null)),
        ("/response/missing", json!("text")),
        ("/response/words", json!(1)),
        ("/outcome", json!("done")),
        ("/error", json!(null)),
        ("/error/retry_after_ms", json!(null)),
        ("/answered_by/0/file", json!(null)),
        ("/answered_by/0/place", json!(null)),
        ("/answered_by/0/step", json!(null)),
        ("/trace", json!(null)),
        ("/trace/trace_id", json!(null)),
        ("/answered_by/0/fault", json!(true)),
        ("/answered_by/0", json!({"fault": false})),
        ("/answered_by/0", json!({})),
    ] {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let mut changed = journal.clone();
        let entries = changed["entries"].as_array_mut().unwrap();
        let entry = entries.iter_mut().find(|entry| entry.pointer(parent).is_some());
        match entry.unwrap().pointer_mut(parent).unwrap() {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = never.clone(),
            object => object[key] = never.clone(),
        }
        assert!(!validator.is_valid(&changed), "the schema accepts {pointer} {never}");
    }
}

#[tokio::test]
async fn describes_every_route() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/control/mod.rs");
    let source = fs::read_to_string(source).unwrap();
    let routes = source.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let routes: BTreeSet<_> = routes.map(str::to_owned).collect();
    let document = Sidecar::start().get("/mynah/v1/openapi.json").await.json();
    let described: BTreeSet<_> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(described, routes);
}
