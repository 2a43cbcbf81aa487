//! Errors of models in recordings.

use std::path::Path;

use super::{
    component, recorded, recorder_with, replay,
    server::{HI, Model, hello, named, response},
    stop,
};
use crate::support::{
    messages::{request, user},
    scratch,
};

/// Makes two calls to a model, and records what comes of them, also errors. Returns the codes and the log.
async fn record(model: &Model, recordings: &Path) -> (Vec<String>, String) {
    let flags = ["--record-errors"];
    let sidecar = recorder_with(&component(&model.endpoint), recordings, &flags);
    let mut seen = Vec::new();
    for call in [hello(), hello(), named(request([user("bye")]))] {
        seen.push(match sidecar.converse(call).await {
            Ok(answer) => answer.content,
            Err(status) => status.message().to_owned(),
        });
    }
    (seen, stop(sidecar).await)
}

#[tokio::test]
async fn an_error_never_replaces_an_answer() {
    let recordings = scratch("recordings");
    let sidecar = {
        let model = Model::json("200 OK", HI).await;
        let sidecar = recorder_with(&component(&model.endpoint), &recordings, &[]);
        sidecar.converse(hello()).await.unwrap();
        sidecar
    };
    stop(sidecar).await;
    let before = recorded(&recordings);
    let broken = Model::json("500 Internal", r#"{"error":{"message":"overloaded"}}"#).await;
    let (seen, log) = record(&broken, &recordings).await;
    assert!(seen.iter().all(|it| it.contains("overloaded")), "{seen:?}");
    assert!(log.contains("the model failed; the recorded answer is kept"), "{log}");
    let after = recorded(&recordings);
    let added = after.strip_prefix(&before).unwrap();
    assert!(added.contains("- name: bye") && added.contains("overloaded"), "{added}");
    let sidecar = replay(&component(&broken.endpoint), &recordings);
    assert_eq!(sidecar.converse(hello()).await.unwrap().content, "hi");
}

#[tokio::test]
async fn an_answer_replaces_an_error() {
    let recordings = scratch("recordings");
    let broken = Model::start(response("500 Internal", "text/plain", "")).await;
    record(&broken, &recordings).await;
    let (seen, _) = record(&Model::json("200 OK", HI).await, &recordings).await;
    assert_eq!(seen, ["hi"; 3]);
    assert!(!recorded(&recordings).contains("error:"), "{}", recorded(&recordings));
}
