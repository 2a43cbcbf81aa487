//! How fast a turn comes. That waits are kept is tested with a clock of its own, beside the
//! provider; here, what waits and what does not.

use serde_json::json;

use super::{chain, content, scripted};
use crate::support::{
    messages::{request, user},
    stream,
};

/// Long enough that no test waits for its end.
const FOREVER: &str = "1h";

#[tokio::test]
async fn pace_is_for_streams_alone() {
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
async fn a_step_goes_its_own_pace() {
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
async fn a_component_sets_the_pace_of_chains_and_of_its_fallback() {
    let sidecar = scripted("{name: wordsPerChunk, value: 2}");
    let step = json!({"messages": [{"text": "one two three"}]});
    for message in [chain(json!([step])), user("one two three")] {
        let streamed = stream(&sidecar, request([message])).await.unwrap();
        assert_eq!(streamed.chunks, ["one two", " three"]);
    }
}

/// Requests of over 64 KiB are worked on off the serving threads; they must not wait there.
#[tokio::test]
async fn many_large_requests_that_wait_hold_up_nobody() {
    let sidecar = scripted("");
    let step = json!({"delay": FOREVER, "messages": [{"text": "x".repeat(70_000)}]});
    let asked = request([chain(json!([step]))]);
    let client = sidecar.client().await;
    // More than there are threads for blocking work.
    let waiting: Vec<_> = (0..600)
        .map(|_| {
            let (mut client, asked) = (client.clone(), asked.clone());
            tokio::spawn(async move { client.converse_alpha2(asked).await.map(drop) })
        })
        .collect();
    let large = user(&"hi ".repeat(30_000));
    assert!(content(&sidecar, [large]).await.starts_with("hi hi"));
    assert!(waiting.iter().all(|call| !call.is_finished()));
}
