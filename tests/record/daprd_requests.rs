//! Requests to models are those that daprd makes, for models and settings with differences.

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use prost_types::Duration;
use serde_json::{Value, json};

use super::server::{HI, Model, hello, mynah_with, named};
use crate::support::messages::{developer, request, system, user};

/// Returns the request that reaches a model of this name.
async fn passed_on(name: &str, call: ConversationRequestAlpha2) -> Value {
    let mut model = Model::json("200 OK", HI).await;
    mynah_with(&model, name).converse(call).await.unwrap();
    model.body().await
}

#[tokio::test]
async fn the_retention_of_the_prompt_cache_is_metadata() {
    let retention = Some(Duration { seconds: 86_400, nanos: 0 });
    let call = ConversationRequestAlpha2 {
        prompt_cache_retention: retention,
        metadata: [("a".to_owned(), "b".to_owned())].into(),
        ..hello()
    };
    let body = passed_on("real", call).await;
    assert_eq!(body["metadata"], json!({ "a": "b", "prompt_cache_retention": "24h0m0s" }));
}

#[tokio::test]
async fn some_models_have_their_own_temperature() {
    let with_limits =
        || ConversationRequestAlpha2 { temperature: Some(0.5), max_tokens: Some(9), ..hello() };
    for name in ["gpt-5-nano", "o1-mini", "o3", "o3-mini-2025"] {
        let body = passed_on(name, with_limits()).await;
        assert_eq!(body.get("temperature"), None, "{name}");
        assert_eq!(body.get("max_tokens"), None, "{name}");
        assert_eq!(body["max_completion_tokens"], 9, "{name}");
    }
    let body = passed_on("gpt-4o", with_limits()).await;
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.5), &json!(9)));
}

#[tokio::test]
async fn models_without_system_messages_get_them_from_the_user() {
    let call = || named(request([system("s"), developer("d"), user("x"), system("t")]));
    let part = |text: &str| json!({ "text": text, "type": "text" });
    for name in ["o1", "O3-mini", "o1-preview"] {
        let body = passed_on(name, call()).await;
        let first = json!({ "role": "user", "content": [part("s\n\nt\n\n"), part("d")] });
        let second = json!({ "role": "user", "content": "x" });
        assert_eq!(body["messages"], json!([first, second]), "{name}");
    }
    let body = passed_on("o1", named(request([system("s")]))).await;
    assert_eq!(body["messages"], json!([{ "role": "user", "content": [part("s\n\n")] }]));
    let body = passed_on("o1-mini-2024", call()).await;
    assert_eq!(body["messages"][0]["role"], "system");
}
