//! Limits of the tool loop.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{calls, find_order, scripted};
use crate::{chains::chain, support::messages::request};

fn orders(count: usize) -> Vec<Value> {
    (0..count).map(|id| calls(&[find_order(&id.to_string())])).collect()
}

#[tokio::test]
async fn a_request_ends_after_the_last_turn() {
    let sidecar = scripted("  - {name: maxTurns, value: 3}\n");
    let answer = sidecar.converse(request([chain(json!(orders(5)))])).await.unwrap();
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), ("", "length"));
    assert!(answer.calls.is_empty());
    let log = sidecar.log();
    let line = log.lines().find(|line| line.contains("limit")).unwrap();
    let from = line.find("the tools").unwrap();
    assert_snapshot!(line[from..], @r#"the tools of the component ran until a limit was reached end="max_turns" turns=3"#);
}

#[tokio::test]
async fn the_calls_of_a_request_are_limited() {
    let sidecar = scripted("");
    let many: Vec<_> = (0..300).map(|id| find_order(&id.to_string())).collect();
    let steps = json!([calls(&many), {"messages": [{"text": "never"}]}]);
    let answer = sidecar.converse(request([chain(steps)])).await.unwrap();
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), ("", "length"));
}

#[tokio::test]
async fn a_model_that_makes_no_progress_is_stopped() {
    let sidecar = scripted("  - {name: onExhausted, value: repeat_last}\n");
    let answer = sidecar.converse(request([chain(json!(orders(1)))])).await.unwrap();
    assert_eq!(answer.finish_reason, "length");
    assert!(sidecar.log().contains("end=\"stalled\""), "{}", sidecar.log());
}
