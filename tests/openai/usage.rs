//! Numbers of tokens that a script chooses.

use serde_json::{Value, json};

use super::{chain, complete, scripted, streams::chunks, with};

fn asking(usage: &Value) -> Value {
    let step = json!({"messages": [{"text": "It rains."}], "usage": usage});
    json!({"model": "chains", "messages": [chain(&json!([step]))]})
}

fn counts() -> Value {
    json!({
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "reasoning_tokens": 5,
        "cached_tokens": 80,
    })
}

#[tokio::test]
async fn completions_show_cached_and_reasoning_tokens() {
    let sidecar = scripted(&["chains"]);
    let expected = json!({
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "completion_tokens_details": {"reasoning_tokens": 5},
        "prompt_tokens_details": {"cached_tokens": 80},
    });
    assert_eq!(complete(&sidecar, &asking(&counts())).await.json()["usage"], expected);
    let mut streamed = asking(&counts());
    streamed["stream_options"] = json!({"include_usage": true});
    assert_eq!(chunks(&sidecar, streamed).await.last().unwrap()["usage"], expected);
}

#[tokio::test]
async fn completions_can_have_no_usage() {
    let sidecar = scripted(&["chains"]);
    let reply = complete(&sidecar, &asking(&json!("none"))).await.json();
    assert_eq!(reply["choices"][0]["message"]["content"], "It rains.");
    assert!(reply.get("usage").is_none(), "{reply}");
}

#[tokio::test]
async fn responses_show_cached_and_reasoning_tokens() {
    let sidecar = scripted(&["chains"]);
    let message = asking(&counts())["messages"][0].clone();
    let body = json!({"model": "chains", "input": [message]}).to_string();
    let usage = sidecar.post("/v1/responses", body).await.json()["usage"].clone();
    assert_eq!(usage["input_tokens_details"], json!({"cached_tokens": 80}));
    assert_eq!(usage["output_tokens_details"], json!({"reasoning_tokens": 5}));
}

#[tokio::test]
async fn the_journal_shows_them() {
    let sidecar = scripted(&["chains"]);
    complete(&sidecar, &asking(&counts())).await;
    let journal = sidecar.get("/mynah/v1/journal").await.json();
    let usage = &journal["entries"][0]["response"]["usage"];
    assert_eq!(*usage, with(counts(), "total_tokens", json!(120)));
}
