//! Secrets of every form are hidden on every surface, wherever calls are shown.

use std::fs;

use mynah::internals::wire::{json, proto::ConversationRequestAlpha2};
use serde_json::json;

use super::JOURNAL;
use crate::support::{
    Sidecar,
    messages::{assistant_with_calls, request, tool, tool_call, tool_result, user},
    process::wait_until,
    scratch, stream,
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";
/// A part of every secret.
const PLANTED: &str = "planted";
/// A secret with characters that are escaped in JSON.
const KNOWN: &str = "planted\"1/\\2";

/// Texts with a secret.
fn texts() -> Vec<String> {
    let secret = json!({"api_key": "planted-1", "a": 1}).to_string();
    let nested = |depth: usize, text: &str| {
        (0..depth).fold(text.to_owned(), |text, _| json!({"a": text}).to_string())
    };
    vec![
        KNOWN.to_owned(),
        "Bearer planted.123".to_owned(),
        "sk-planted12345".to_owned(),
        "sk_live_planted12345".to_owned(),
        secret.clone(),
        format!("  \n{secret}"),
        format!("\u{feff}{secret}"),
        format!("The answer is {secret}, I think."),
        format!("```json\n{secret}\n```"),
        json!({"password": {"a": ["planted"]}}).to_string(),
        json!({"tokens": [{"token": ["planted"]}]}).to_string(),
        "{'client_secret': 'planted'}".to_owned(),
        nested(6, &secret),
        nested(2, KNOWN),
        nested(6, "sk-planted12345"),
    ]
}

/// Returns requests with a secret. Echo repeats a text in a message.
fn requests(text: &str) -> Vec<ConversationRequestAlpha2> {
    let call = assistant_with_calls(text, [tool_call("call_1", "lookup", text)]);
    let result = tool_result("call_1", "lookup", text);
    let mut with_metadata = request([user("hi")]);
    with_metadata.metadata.insert("x-api-key".to_owned(), "planted".to_owned());
    with_metadata.metadata.insert("note".to_owned(), text.to_owned());
    let mut with_schema = request([user(text)]);
    let schema = json!({"type": "object", "properties": {
        "password": {"type": "string", "default": "planted", "enum": ["planted"]},
        "note": {"type": "string", "description": text},
    }});
    with_schema.tools.push(tool("lookup", schema));
    vec![request([user(text)]), request([user("hi"), call, result]), with_metadata, with_schema]
}

async fn call_everything(sidecar: &Sidecar) -> usize {
    let mut calls = 0;
    for text in texts() {
        for message in requests(&text) {
            let body = json::write(&message).unwrap();
            sidecar.converse(message.clone()).await.unwrap();
            stream(sidecar, message).await.unwrap();
            sidecar.post(ALPHA2, body.clone()).await;
            sidecar.post_for_events(ALPHA2, body).await;
            calls += 4;
        }
        for is_streamed in [false, true] {
            let messages = json!([{"role": "user", "content": text}]);
            let body = json!({"model": "echo", "stream": is_streamed, "messages": messages,
                "metadata": {"x-api-key": "planted", "password": text}});
            sidecar.post("/v1/chat/completions", body.to_string()).await;
            calls += 1;
        }
    }
    calls
}

#[tokio::test]
async fn are_hidden_everywhere() {
    let folder = scratch("secrets");
    let (components, file) = (folder.join("components.yaml"), folder.join("journal.jsonl"));
    let key = json!({"name": "apiKey", "value": KNOWN});
    let yaml = format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
         spec: {{type: conversation.echo, version: v1, metadata: [{key}]}}\n"
    );
    fs::write(&components, yaml).unwrap();
    let sidecar = Sidecar::start_with(&[
        "--resources-path",
        components.to_str().unwrap(),
        "--journal",
        file.to_str().unwrap(),
        "--log-level=debug",
    ]);
    let calls = call_everything(&sidecar).await;
    let journal = sidecar.get(&format!("{JOURNAL}?limit=10000")).await.body;
    assert_eq!(journal.matches("\"outcome\":\"ok\"").count(), calls);
    let conditions = [
        json!({"user": {"equals": "x"}}),
        json!({"any_message": {"equals": "x"}}),
        json!({"metadata": {"x-api-key": "x", "note": "x"}}),
    ];
    let expect: Vec<_> = conditions.map(|it| json!({"match": it, "count": 999})).into();
    let checks = json!({"expect": expect, "no_unmatched": true}).to_string();
    let report = sidecar.post("/mynah/v1/verify", checks).await;
    assert_eq!(report.status, 409, "{}", report.body);
    let written = async || {
        let text = fs::read_to_string(&file).ok()?;
        (text.lines().count() == calls).then_some(text)
    };
    let written = wait_until(written, "the file has not all calls").await;
    let shown =
        [("journal", journal), ("report", report.body), ("file", written), ("log", sidecar.log())];
    for (place, text) in shown {
        let found = text.find(PLANTED).map(|at| &text[at.saturating_sub(500)..][..600]);
        assert_eq!(found, None, "in the {place}");
    }
}
