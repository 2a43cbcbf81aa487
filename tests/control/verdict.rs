//! The verdict on the retries of a client.

use futures_util::future::join;
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

const CONVERSE: &str = "/v1.0-alpha2/conversation/echo/converse";
const INPUTS: &str = r#""inputs": [{"messages": [{"ofUser": {"content": [{"text": "Hi"}]}}]}]"#;

/// Starts a sidecar whose component has a fault.
fn faulty(fault: &str) -> Sidecar {
    let metadata = format!("  metadata: [{{name: faults, value: '{fault}'}}]\n");
    Sidecar::with_components(&SCRIPTED.replace(
        "spec: {type: conversation.scripted, version: v1}\n",
        &format!("spec:\n  type: conversation.echo\n  version: v1\n{metadata}"),
    ))
}

/// Go writes the keys of a map in another order each time.
#[tokio::test]
async fn the_order_of_keys_does_not_matter() {
    let sidecar = faulty(r#"{"fail_first": 1, "error": {"code": "UNAVAILABLE"}}"#);
    for metadata in [r#"{"a": "1", "b": "2"}"#, r#"{"b": "2", "a": "1"}"#] {
        let body = format!(r#"{{"metadata": {metadata}, {INPUTS}}}"#);
        sidecar.post(CONVERSE, body).await;
    }
    let other = format!(r#"{{"metadata": {{"a": "2", "b": "1"}}, {INPUTS}}}"#);
    sidecar.post(CONVERSE, other).await;
    let verdict = sidecar.get("/mynah/v1/verdict").await.json();
    assert_eq!((&verdict["retries"], &verdict["recovered"]), (&json!(1), &json!(1)), "{verdict}");
}

#[tokio::test]
async fn concurrent_calls_are_not_retries() {
    let sidecar = faulty(r#"{"delay": "3s", "error": {"code": "PERMISSION_DENIED"}}"#);
    let call = || sidecar.post(CONVERSE, format!("{{{INPUTS}}}"));
    join(call(), call()).await;
    let verdict = sidecar.get("/mynah/v1/verdict").await.json();
    assert_eq!((&verdict["ok"], &verdict["retries"]), (&json!(true), &json!(0)), "{verdict}");
    call().await;
    let verdict = sidecar.get("/mynah/v1/verdict").await.json();
    assert_eq!(
        (kinds(&verdict), &verdict["retries"]),
        (vec!["retried_permanent_error"], &json!(1))
    );
}
