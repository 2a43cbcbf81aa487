//! Recorded conversations as examples for a model.

use serde_json::Value;

use super::{
    files::folder_with,
    play::{play_in, results},
};
use crate::support::{Sidecar, http::direct_client};

const RECORDED: &str = "conversation_id,sender,content,timestamp
r0,customer,My parcel never arrived,2026-05-01T09:00:00Z
r1,customer,I want to cancel my subscription,2026-05-01T09:01:00Z
r1,agent,I have done so,2026-05-01T09:02:00Z
r2,customer,Please cancel both subscriptions,2026-05-01T09:03:00Z
r3,customer,How do I cancel an order?,2026-05-01T09:04:00Z
r4,customer,My parcel is broken,2026-05-01T09:05:00Z
";

const SIMULATION: &str = "
name: examples
in_flight: 1
max_messages: 2
participants:
- name: desk
  role: agent
  sidecar: {address: 'ADDRESS'}
  examples: {from: recorded.csv, number: 2}
scenarios:
- id: cancel
  from: {file: recorded.csv}
  customer: {replay: true}
  agent: desk
  intents: [{role: customer, description: Cancel the subscription}]
- id: without
  from: {file: recorded.csv}
  customer: {replay: true}
  agent: desk
";

/// Returns the examples that a conversation's model was shown, each as its first message.
async fn shown(sidecar: &Sidecar, id: &str) -> Vec<String> {
    let url = sidecar.url(&format!("/mynah/v1/journal?session={id}"));
    let journal: Value = sidecar.send(direct_client().get(url)).await.json();
    let messages = &journal["entries"][0]["request"]["inputs"][0]["messages"];
    let system = messages[0]["ofSystem"]["content"][0]["text"].as_str().unwrap();
    let examples = system.split("Example: ").skip(1);
    examples.map(|example| example.lines().nth(1).unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_nearest_conversations_are_examples() {
    let sidecar = Sidecar::start();
    let simulation = SIMULATION.replace("ADDRESS", &sidecar.grpc.to_string());
    let folder = folder_with(&[("simulate.yaml", &simulation), ("recorded.csv", RECORDED)]);
    let (output, folder) = tokio::task::spawn_blocking(move || {
        let output = play_in(&folder, &[]);
        (output, folder)
    })
    .await
    .unwrap();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert_eq!(results(&folder).len(), 10);
    let r0 = "[CUSTOMER] My parcel never arrived";
    let r1 = "[CUSTOMER] I want to cancel my subscription";
    let r2 = "[CUSTOMER] Please cancel both subscriptions";
    let r3 = "[CUSTOMER] How do I cancel an order?";
    // A plural is the same word, and a short conversation is nearer than a long one.
    assert_eq!(shown(&sidecar, "cancel-0").await, [r2, r1]);
    // The conversation that is played is left out.
    assert_eq!(shown(&sidecar, "cancel-1").await, [r2, r3]);
    assert_eq!(shown(&sidecar, "cancel-2").await, [r1, r3]);
    // Without intents, all are equally near.
    assert_eq!(shown(&sidecar, "without-3").await, [r0, r1]);
    assert_eq!(shown(&sidecar, "without-0").await, [r1, r2]);
}
