//! Streamed answers.

use serde_json::{Value, json};

use super::{COMPLETIONS, asking, chain, complete, message, scripted, weather, with};
use crate::support::Sidecar;

/// Returns the chunks of a streamed answer, which must end with `[DONE]`.
pub(super) async fn chunks(sidecar: &Sidecar, body: Value) -> Vec<Value> {
    let body = with(body, "stream", json!(true));
    let reply = sidecar.post(COMPLETIONS, body.to_string()).await;
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "text/event-stream"));
    let chunks = reply.body.strip_suffix("data: [DONE]\n\n").expect("the stream is complete");
    events(chunks)
}

/// Returns the chunks in a body.
pub(super) fn events(body: &str) -> Vec<Value> {
    let events = body.split_terminator("\n\n").map(|event| event.strip_prefix("data: ").unwrap());
    events.map(|event| serde_json::from_str(event).unwrap()).collect()
}

/// Returns the deltas of a choice.
fn deltas(chunks: &[Value], index: u64) -> Vec<Value> {
    let choices = chunks.iter().filter_map(|chunk| chunk["choices"].get(0));
    choices.filter(|choice| choice["index"] == index).map(|it| it["delta"].clone()).collect()
}

#[tokio::test]
async fn a_text_arrives_in_chunks() {
    let sidecar = Sidecar::start();
    let chunks = chunks(&sidecar, asking("Hello, nice world!")).await;
    let expected = [
        json!({"role": "assistant", "content": ""}),
        json!({"content": "Hello,"}),
        json!({"content": " nice"}),
        json!({"content": " world!"}),
        json!({}),
    ];
    assert_eq!(deltas(&chunks, 0), expected);
    let whole = complete(&sidecar, &asking("Hello, nice world!")).await.json();
    for (at, chunk) in chunks.iter().enumerate() {
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!((&chunk["model"], &chunk["created"]), (&whole["model"], &whole["created"]));
        let finish_reason = if at + 1 == chunks.len() { json!("stop") } else { Value::Null };
        assert_eq!(chunk["choices"][0]["finish_reason"], finish_reason);
        assert_eq!((chunk.get("usage"), &chunk["id"]), (None, &chunks[0]["id"]));
    }
}

/// As from OpenAI, clients have to join the arguments.
#[tokio::test]
async fn the_arguments_of_a_call_arrive_in_pieces() {
    let sidecar = Sidecar::start();
    let chunks = chunks(&sidecar, weather()).await;
    let whole = message(&complete(&sidecar, &weather()).await);
    let deltas = deltas(&chunks, 0);
    let [role, begun, pieces @ .., end] = deltas.as_slice() else { panic!("{deltas:?}") };
    assert_eq!((&role["role"], end), (&json!("assistant"), &json!({})));
    let mut call = whole["tool_calls"][0].clone();
    let arguments = call["function"]["arguments"].take();
    call["function"]["arguments"] = json!("");
    call["index"] = json!(0);
    assert_eq!(begun["tool_calls"], json!([call]));
    let piece = |delta: &Value| {
        let call = &delta["tool_calls"][0];
        let keys: Vec<_> = call.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((keys, &call["index"]), (vec!["function", "index"], &json!(0)));
        call["function"]["arguments"].as_str().unwrap().to_owned()
    };
    let pieces: Vec<_> = pieces.iter().map(piece).collect();
    assert!(pieces.len() > 1, "{pieces:?}");
    assert_eq!(pieces.concat(), arguments.as_str().unwrap());
    assert_eq!(chunks.last().unwrap()["choices"][0]["finish_reason"], "tool_calls");
}

#[tokio::test]
async fn usage_comes_last_if_it_is_wanted() {
    let sidecar = Sidecar::start();
    let body = with(asking("hi"), "stream_options", json!({"include_usage": true}));
    let chunks = chunks(&sidecar, body).await;
    let last = chunks.last().unwrap();
    assert_eq!(last["choices"], json!([]));
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2});
    assert_eq!(last["usage"], usage);
    for chunk in &chunks[..chunks.len() - 1] {
        assert_eq!(chunk.get("usage"), Some(&Value::Null));
    }
}

#[tokio::test]
async fn every_choice_is_streamed() {
    let sidecar = Sidecar::start();
    let chunks = chunks(&sidecar, with(asking("hi you"), "n", json!(3))).await;
    for index in 0..3 {
        assert_eq!(deltas(&chunks, index), deltas(&chunks, 0));
        assert_eq!(deltas(&chunks, index).len(), 4);
    }
}

#[tokio::test]
async fn a_late_error_is_the_last_event() {
    let sidecar = scripted(&["chains"]);
    let items = json!([{"text": "so far"}, {"error": {"code": "UNAVAILABLE", "message": "gone"}}]);
    let messages = json!([chain(&json!([{ "messages": items }]))]);
    let body = json!({"stream": true, "messages": messages});
    let reply = sidecar.post(COMPLETIONS, body.to_string()).await;
    let events = reply.events();
    assert_eq!(events[1].1["choices"][0]["delta"]["content"], "so");
    let error = json!({"message": "gone", "type": "server_error", "param": null, "code": null});
    assert_eq!(events.last().unwrap().1, json!({ "error": error }));
}
