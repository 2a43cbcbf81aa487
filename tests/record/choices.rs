//! Models that give several choices.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    component, recorded, recorder, replay,
    server::{Model, mynah, response},
    stop,
};
use crate::support::{Sidecar, scratch};

const REPLY: &str = r#"{"model":"real-1","choices":[
{"index":0,"message":{"content":"one"},"finish_reason":"stop"},
{"index":1,"message":{"content":"{{ two }} bob@example.com"},"finish_reason":"length"},
{"index":2,"message":{"content":null,"tool_calls":[{"id":"c1","type":"function",
"function":{"name":"add","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}],
"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}"#;

const EVENTS: &str = r#"data: {"choices":[{"index":1,"delta":{"content":"t"}},{"index":0,"delta":{"content":"o"}}]}

data: {"choices":[{"index":0,"delta":{"content":"ne"},"finish_reason":"stop"}]}

data: {"choices":[{"index":1,"delta":{"content":"wo"}}]}

data: {"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}

data: [DONE]

"#;

const ALPHA2: &str = "/v1.0-alpha2/conversation/gpt/converse";
const ALPHA1: &str = "/v1.0-alpha1/conversation/gpt/converse";

fn alpha2(scrubs: bool) -> String {
    let message = json!({ "ofUser": { "content": [{ "text": "hello" }] } });
    json!({ "inputs": [{ "messages": [message] }], "scrubPii": scrubs }).to_string()
}

fn openai(is_streamed: bool) -> String {
    let message = json!({ "role": "user", "content": "hello" });
    json!({ "model": "gpt", "messages": [message], "stream": is_streamed }).to_string()
}

async fn streamed(sidecar: &Sidecar) -> String {
    sidecar.post_for_events("/v1/chat/completions", openai(true)).await.body
}

/// Returns the answers of all APIs.
async fn answers(sidecar: &Sidecar) -> [String; 4] {
    [
        sidecar.post(ALPHA2, alpha2(false)).await.body,
        sidecar.post(ALPHA1, r#"{"inputs":[{"content":"hello"}]}"#).await.body,
        sidecar.post("/v1/chat/completions", openai(false)).await.body,
        streamed(sidecar).await,
    ]
}

/// Returns the texts and the finish reasons of a stream by the index of the choice.
fn joined(events: &str) -> BTreeMap<u64, (String, Value)> {
    let mut joined = BTreeMap::<_, (String, Value)>::new();
    let data = events.lines().filter_map(|line| line.strip_prefix("data: {"));
    for event in data {
        let event: Value = serde_json::from_str(&format!("{{{event}")).unwrap();
        for choice in event["choices"].as_array().unwrap() {
            let (text, reason) = joined.entry(choice["index"].as_u64().unwrap()).or_default();
            *text += choice["delta"]["content"].as_str().unwrap_or_default();
            if !choice["finish_reason"].is_null() {
                *reason = choice["finish_reason"].clone();
            }
        }
    }
    joined
}

#[tokio::test]
async fn choices_are_outputs_as_in_daprd() {
    let model = Model::json("200 OK", REPLY).await;
    let [of_alpha2, of_alpha1, of_openai, events] = answers(&mynah(&model)).await;
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let outputs = json(&of_alpha2)["outputs"].clone();
    let usage = json!({ "completionTokens": "4", "promptTokens": "3", "totalTokens": "7" });
    let output = |choice: Value| json!({ "choices": [choice], "model": "real", "usage": usage });
    let function = json!({ "name": "add", "arguments": "{\"a\":1}" });
    let calls = json!({ "toolCalls": [{ "id": "c1", "function": function }] });
    let two = "{{ two }} bob@example.com";
    let expected = [
        json!({ "finishReason": "stop", "message": { "content": "one" } }),
        json!({ "finishReason": "length", "index": "1", "message": { "content": two } }),
        json!({ "finishReason": "tool_calls", "index": "2", "message": calls }),
    ];
    assert_eq!(outputs, Value::from(expected.map(output).to_vec()));
    let results = json(&of_alpha1)["outputs"].as_array().unwrap().clone();
    let results = results.iter().map(|it| it["result"].as_str().unwrap_or_default());
    assert_eq!(results.collect::<Vec<_>>(), ["one", two, ""]);
    let choices = json(&of_openai)["choices"].as_array().unwrap().clone();
    let numbers = choices.iter().map(|it| it["index"].as_u64().unwrap());
    assert_eq!(numbers.collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(choices[1]["message"]["content"], two);
    assert_eq!(choices[2]["message"]["tool_calls"][0]["function"], function);
    let streamed = joined(&events);
    assert_eq!(streamed[&0], ("one".to_owned(), json!("stop")));
    assert_eq!(streamed[&1], (two.to_owned(), json!("length")));
    assert_eq!(streamed[&2].1, "tool_calls");
    let scrubbed = mynah(&model).post(ALPHA2, alpha2(true)).await.body;
    assert!(scrubbed.contains("{{ two }}") && !scrubbed.contains("bob@"), "{scrubbed}");
}

#[tokio::test]
async fn choices_are_recorded_and_replayed() {
    let (model, recordings) = (Model::json("200 OK", REPLY).await, scratch("recordings"));
    let components = component(&model.endpoint);
    let mut texts = Vec::new();
    let mut seen = Vec::new();
    for _ in 0..2 {
        let sidecar = recorder(&components, &recordings);
        seen.push(answers(&sidecar).await);
        stop(sidecar).await;
        texts.push(recorded(&recordings));
    }
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[0].matches("\n- name:").count(), 1, "{}", texts[0]);
    assert_eq!(texts[0].matches("other_choices:").count(), 1, "{}", texts[0]);
    assert_eq!(answers(&replay(&components, &recordings)).await, seen[0]);
}

#[tokio::test]
async fn streamed_choices_are_joined() {
    let model = Model::start(response("200 OK", "text/event-stream", EVENTS)).await;
    let streamed = joined(&streamed(&mynah(&model)).await);
    let expected = [(0, ("one", "stop")), (1, ("two", "length"))];
    let expected =
        expected.map(|(index, (text, reason))| (index, (text.to_owned(), json!(reason))));
    assert_eq!(streamed, BTreeMap::from(expected));
}
