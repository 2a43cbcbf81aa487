//! Keys and other secrets are in no recording, log or journal.

use super::{KEY, component_of, model, recorded, recorder_with, replay, stop};
use crate::support::{
    messages::{request, user},
    scratch,
};

#[tokio::test]
async fn secrets_are_not_recorded() {
    let text = "My password is in {\"password\": \"planted-1\"}, my key is sk-planted-9876543210";
    let rules = format!("rules: [{{respond: \"Use {KEY} or sk-planted-1234567890.\"}}]");
    let (model, recordings) = (model(&rules), scratch("recordings"));
    let components = component_of(&model);
    let sidecar = recorder_with(&components, &recordings, &["--log-level", "debug"]);
    let call = mynah::internals::wire::proto::ConversationRequestAlpha2 {
        name: "gpt".to_owned(),
        ..request([user(text)])
    };
    sidecar.converse(call.clone()).await.unwrap();
    let journal = sidecar.get("/mynah/v1/journal").await.body;
    let log = stop(sidecar).await;
    let recording = recorded(&recordings);
    for shown in [&journal, &log, &recording] {
        assert!(!shown.contains("planted"), "{shown}");
    }
    assert!(log.contains("secrets are left out of a recorded exchange"), "{log}");
    // What is asked has its secrets removed, too.
    let answer = replay(&components, &recordings).converse(call).await.unwrap();
    assert_eq!(answer.content, "Use [redacted] or [redacted].");
}
