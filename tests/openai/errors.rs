//! Errors, in the form of OpenAI's API.

use serde_json::{Value, json};

use super::{COMPLETIONS, asking, chain, complete, scripted, tool, user, with};
use crate::support::{
    Sidecar,
    http::{Reply, direct_client},
};

fn error(reply: &Reply) -> Value {
    assert_eq!(reply.content_type, "application/json");
    reply.json()["error"].clone()
}

#[tokio::test]
async fn an_invalid_request_names_its_parameter() {
    let sidecar = Sidecar::start();
    let hi = || asking("hi");
    let message = |message: Value| json!({"messages": [user("x"), message]});
    let tools = |tools: Value| with(hi(), "tools", tools);
    let cases = [
        (json!({}), "messages", "missing; expected an array of messages"),
        (json!({"messages": 5}), "messages", "invalid type: integer `5`, expected a sequence"),
        (message(json!({"role": "human"})), "messages[1].role", "unknown variant `human`"),
        (message(json!({"content": "x"})), "messages[1]", "missing field `role`"),
        (
            message(json!({"role": "user", "content": [{"type": "image_url"}]})),
            "messages[1].content[0].image_url",
            "missing",
        ),
        (
            message(json!({"role": "user", "content": [{"type": "video"}]})),
            "messages[1].content[0].type",
            "\"video\" is not supported; expected one of: text, image_url, input_audio, file, refusal",
        ),
        (
            message(json!({"role": "user", "content": [{"type": "text"}]})),
            "messages[1].content[0].text",
            "missing",
        ),
        (
            message(json!({"role": "user", "content": 5})),
            "messages[1].content",
            "invalid type: integer `5`, expected a text or an array of parts",
        ),
        (message(json!({"role": "tool", "content": "x"})), "messages[1].tool_call_id", "missing"),
        (with(hi(), "logprobs", json!(true)), "logprobs", "true is not supported; expected false"),
        (with(hi(), "functions", json!([])), "functions", "not supported; expected tools instead"),
        (with(hi(), "n", json!(0)), "n", "0 is out of range; expected 1 to 16"),
        (with(hi(), "n", json!(17)), "n", "17 is out of range; expected 1 to 16"),
        (with(hi(), "stream", json!("yes")), "stream", "invalid type: string \"yes\""),
        (tools(json!([{"type": "custom"}])), "tools[0].type", "\"custom\" is not supported"),
        (tools(json!([{"type": "function"}])), "tools[0].function", "missing"),
        (
            with(tools(json!([tool("a"), tool("b")])), "tool_choice", json!("c")),
            "tool_choice",
            "\"c\" is not a tool of the request; it offers: a, b",
        ),
        (with(hi(), "tool_choice", json!({"type": "x"})), "tool_choice", "unknown variant `x`"),
        (
            with(hi(), "response_format", json!({"type": "grammar"})),
            "response_format.type",
            "\"grammar\" is not supported; expected \"text\", \"json_object\" or \"json_schema\"",
        ),
        (
            with(hi(), "response_format", json!({"type": "json_schema"})),
            "response_format.json_schema.schema",
            "missing",
        ),
    ];
    for (body, param, reason) in cases {
        let reply = complete(&sidecar, &body).await;
        assert_eq!(reply.status, 400, "{body}");
        let error = error(&reply);
        assert_eq!(error["param"], param, "{body}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{param}: {reason}")), "{message}");
        assert_eq!(
            (&error["type"], &error["code"]),
            (&json!("invalid_request_error"), &Value::Null)
        );
    }
}

#[tokio::test]
async fn malformed_json_has_no_parameter() {
    let sidecar = Sidecar::start();
    for body in ["", "{", "[]", "null", "{\"model\": \"\u{0}\"}"] {
        let reply = sidecar.post(COMPLETIONS, body).await;
        assert_eq!((reply.status, &error(&reply)["param"]), (400, &Value::Null), "{body:?}");
    }
}

#[tokio::test]
async fn errors_of_chains_keep_their_status() {
    let sidecar = scripted(&["chains"]);
    let cases = [
        ("INVALID_ARGUMENT", 400, "invalid_request_error"),
        ("UNAUTHENTICATED", 401, "authentication_error"),
        ("PERMISSION_DENIED", 403, "permission_error"),
        ("NOT_FOUND", 404, "invalid_request_error"),
        ("RESOURCE_EXHAUSTED", 429, "rate_limit_error"),
        ("UNAVAILABLE", 503, "server_error"),
        ("DEADLINE_EXCEEDED", 504, "server_error"),
        ("INTERNAL", 500, "server_error"),
        ("UNIMPLEMENTED", 501, "server_error"),
        ("ABORTED", 409, "invalid_request_error"),
        ("ALREADY_EXISTS", 409, "invalid_request_error"),
        ("CANCELLED", 499, "invalid_request_error"),
        ("DATA_LOSS", 500, "server_error"),
    ];
    for (code, status, kind) in cases {
        let details = json!({"reason": "QUOTA", "domain": "example.com"});
        let item = json!({"code": code, "message": "slow down", "retry_after": "1500ms", "details": details});
        let messages = json!([chain(&json!([{ "error": item }]))]);
        for is_streamed in [false, true] {
            let body = json!({"stream": is_streamed, "messages": messages});
            let request = direct_client().post(sidecar.url(COMPLETIONS)).body(body.to_string());
            let response = request.send().await.unwrap();
            assert_eq!(
                (response.status().as_u16(), &response.headers()["retry-after"] == "2"),
                (status, true)
            );
            assert_eq!(response.headers()["retry-after-ms"], "1500");
            let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
            let expected =
                json!({"message": "slow down", "type": kind, "param": null, "code": "QUOTA"});
            assert_eq!(body, json!({ "error": expected }), "{code}");
        }
    }
}

#[tokio::test]
async fn other_paths_and_methods_are_not_served() {
    let sidecar = Sidecar::start();
    for path in ["/v1/messages", "/v1/responses/x", "/v1/chat/completions/x"] {
        let reply = sidecar.post(path, "{}").await;
        assert_eq!(reply.status, 404, "{path}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(error(&reply)["message"].as_str().unwrap(), @"of OpenAI's API, mynah serves only POST /v1/chat/completions, POST /v1/responses, GET /v1/responses/{id}, DELETE /v1/responses/{id}, POST /v1/embeddings, POST /v1/openai/deployments/{model}/chat/completions, POST /v1/openai/deployments/{model}/embeddings, GET /v1/models, GET /v1/models/{model}");
        }
    }
    assert_eq!(sidecar.get(COMPLETIONS).await.status, 404);
    assert_eq!(sidecar.post("/v1/models", "{}").await.status, 404);
}

#[tokio::test]
async fn a_body_over_the_limit_is_rejected() {
    let sidecar = Sidecar::start_with(&["--max-body-size=1Ki"]);
    let reply = complete(&sidecar, &asking(&"x".repeat(2000))).await;
    assert_eq!(reply.status, 400);
    assert!(error(&reply)["message"].as_str().unwrap().contains("too large"), "{}", reply.body);
}
