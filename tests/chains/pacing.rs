//! Tests of which answers are delayed. The provider's unit tests check the length of delays with a
//! paused clock.

use serde_json::json;

use super::{chain, content, scripted};
use crate::support::{
    messages::{request, user},
    stream,
};

/// A delay that is longer than any test runs.
const FOREVER: &str = "1h";

#[tokio::test]
async fn delays_streams_only() {
    let slow = format!(
        "{{name: chunkDelay, value: {FOREVER}}}, {{name: timeToFirstChunk, value: {FOREVER}}}"
    );
    let step = json!({"messages": [{"text": "one two"}], "chunk_delay": FOREVER,
        "time_to_first_chunk": FOREVER});
    let sidecar = scripted(&slow);
    assert_eq!(content(&sidecar, [chain(json!([step]))]).await, "one two");
    assert_eq!(content(&sidecar, [user("hi there")]).await, "hi there");
}

#[tokio::test]
async fn prefers_the_pace_of_the_step() {
    let slow = format!(
        "{{name: wordsPerChunk, value: 2}}, {{name: chunkDelay, value: {FOREVER}}}, \
         {{name: timeToFirstChunk, value: {FOREVER}}}"
    );
    let fast = json!({"messages": [{"text": "one two three"}], "chunk_delay": "0s",
        "time_to_first_chunk": "1ms"});
    let streamed = stream(&scripted(&slow), request([chain(json!([fast]))])).await.unwrap();
    assert_eq!(streamed.chunks, ["one two", " three"]);
}

#[tokio::test]
async fn applies_the_pace_of_the_component_to_chains_and_the_fallback() {
    let sidecar = scripted("{name: wordsPerChunk, value: 2}");
    let step = json!({"messages": [{"text": "one two three"}]});
    for message in [chain(json!([step])), user("one two three")] {
        let streamed = stream(&sidecar, request([message])).await.unwrap();
        assert_eq!(streamed.chunks, ["one two", " three"]);
    }
}

/// Requests over 64 KiB run on the blocking thread pool, and a delay must not occupy one of its
/// threads.
#[tokio::test]
async fn delayed_large_requests_do_not_block_others() {
    let sidecar = scripted("");
    let step = json!({"delay": FOREVER, "messages": [{"text": "x".repeat(70_000)}]});
    let request = request([chain(json!([step]))]);
    let client = sidecar.client().await;
    // More requests than the pool has threads.
    let waiting: Vec<_> = (0..600)
        .map(|_| {
            let (mut client, request) = (client.clone(), request.clone());
            tokio::spawn(async move { client.converse_alpha2(request).await.map(drop) })
        })
        .collect();
    let large = user(&"hi ".repeat(30_000));
    assert!(content(&sidecar, [large]).await.starts_with("hi hi"));
    assert!(waiting.iter().all(|call| !call.is_finished()));
}
