//! Entries of the journal with the parts of requests in the same form for all APIs.

use serde_json::{Value, json};

use super::entries;
use crate::support::Sidecar;

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

/// The history of a call in the forms of all APIs that have tools.
fn histories() -> [(&'static str, Value); 3] {
    let schema = json!({"type": "object"});
    let function = json!({"name": "f", "description": "d", "parameters": schema});
    let called =
        json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let mut flat = function.clone();
    flat["type"] = "function".into();
    [
        (
            ALPHA2,
            json!({"contextId": "a", "tools": [{"function": function}], "inputs": [{"messages": [
                {"ofSystem": {"content": [{"text": "Be brief."}]}},
                {"ofUser": {"name": "ann", "content": [{"text": "a"}, {"text": "b"}]}},
                {"ofAssistant": {"toolCalls": [{"id": "c", "function": called["function"]}]}},
                {"ofTool": {"toolId": "c", "name": "f", "content": [{"text": "done"}]}},
            ]}]}),
        ),
        (
            "/v1/chat/completions",
            json!({"model": "echo", "tools": [{"type": "function", "function": function}], "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "name": "ann", "content": [
                    {"type": "text", "text": "a"}, {"type": "text", "text": "b"},
                ]},
                {"role": "assistant", "tool_calls": [called]},
                {"role": "tool", "tool_call_id": "c", "content": "done"},
            ]}),
        ),
        (
            "/v1/responses",
            json!({"model": "echo", "tools": [flat], "instructions": "Be brief.", "input": [
                {"role": "user", "name": "ann", "content": [
                    {"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"},
                ]},
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": "done"},
            ]}),
        ),
    ]
}

#[tokio::test]
async fn normalized_requests_have_one_form() {
    let sidecar = Sidecar::start();
    for (path, body) in histories() {
        let reply = sidecar.post(path, body.to_string()).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    for mut entry in entries(&sidecar, "normalized=true").await {
        // The Responses API has no names of participants.
        let user = entry["messages"][1].as_object_mut().unwrap();
        assert!(matches!(user.remove("name"), None | Some(Value::String(_))));
        let expected = json!([
            {"role": "system", "text": "Be brief."},
            {"role": "user", "text": "a\nb"},
            {"role": "assistant", "text": "", "tool_calls": [{"id": "c", "name": "f", "arguments": "{}"}]},
            {"role": "tool", "name": "f", "text": "done", "tool_id": "c"},
        ]);
        assert_eq!(entry["messages"], expected);
        let tool = json!({"name": "f", "description": "d", "parameters": {"type": "object"}});
        assert_eq!(entry["tools"], json!([tool]));
        let parameters = match entry["api"].as_str() {
            Some("alpha2") => json!({"context_id": "a"}),
            _ => json!({"model": "echo"}),
        };
        assert_eq!(entry["parameters"], parameters);
    }
    assert_eq!(entries(&sidecar, "").await[0].get("messages"), None);
}

#[tokio::test]
async fn invalid_and_secret_parts_are_not_normalized() {
    let sidecar = Sidecar::start();
    sidecar.post("/v1/chat/completions", "{").await;
    let secret = json!({"inputs": [{"messages": [{"ofUser": {"content": [
        {"text": "Bearer abcdefghijk"},
    ]}}]}], "metadata": {"api-key": "planted"}});
    sidecar.post(ALPHA2, secret.to_string()).await;
    let entries = entries(&sidecar, "normalized=true").await;
    assert_eq!(entries[0].get("messages"), None);
    assert_eq!(entries[0]["parameters"], json!({}));
    assert_eq!(entries[1]["messages"][0]["text"], "Bearer [redacted]");
    assert_eq!(entries[1]["parameters"]["metadata"]["api-key"], "[redacted]");
}
