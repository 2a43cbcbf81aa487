//! The verdict on the retries of a client.

use serde_json::{Value, json};

use crate::{
    chains::chain,
    support::{Sidecar, messages::request},
};

const SCRIPTED: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec: {type: conversation.scripted, version: v1}
";

/// Calls a number of times with a chain, and returns the verdict.
async fn verdict_on(steps: Value, calls: usize) -> Value {
    let sidecar = Sidecar::with_components(SCRIPTED);
    for _ in 0..calls {
        let _ = sidecar.converse(request([chain(steps.clone())])).await;
    }
    sidecar.get("/mynah/v1/verdict?component=echo").await.json()
}

fn kinds(verdict: &Value) -> Vec<&str> {
    let violations = verdict["violations"].as_array().unwrap();
    violations.iter().map(|it| it["kind"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn names_a_client_that_ignores_retry_after() {
    let error = json!({"error": {"code": "UNAVAILABLE", "retry_after": "10s"}});
    let verdict = verdict_on(json!([error]), 2).await;
    assert_eq!((&verdict["ok"], kinds(&verdict)), (&json!(false), vec!["ignored_retry_after"]));
    assert_eq!(verdict["violations"][0]["calls"], json!([1, 2]));
    assert_eq!(verdict["gave_up"], json!([2]));
}

#[tokio::test]
async fn names_a_client_that_retries_a_permanent_error() {
    let verdict = verdict_on(json!([{"error": {"code": "PERMISSION_DENIED"}}]), 2).await;
    assert_eq!(kinds(&verdict), ["retried_permanent_error"]);
    assert_eq!(verdict["gave_up"], json!([]));
}

#[tokio::test]
async fn names_a_client_that_storms() {
    let verdict = verdict_on(json!([{"error": {"code": "UNAVAILABLE"}}]), 12).await;
    assert_eq!(kinds(&verdict), ["retry_storm"]);
    assert_eq!(verdict["retries"], 11);
}

#[tokio::test]
async fn accepts_a_client_that_recovers() {
    let error = json!({"error": {"code": "UNAVAILABLE"}, "times": 1});
    let verdict = verdict_on(json!([error, {"messages": [{"text": "fine"}]}]), 2).await;
    let expected =
        json!({"ok": true, "retries": 1, "recovered": 1, "gave_up": [], "violations": []});
    assert_eq!(verdict, expected);
}
