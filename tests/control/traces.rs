//! The journal and the log name the trace of a call, so that a reader finds the call in other tools.

use serde_json::{Value, json};
use tonic::Request;

use super::entries;
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
};

const TRACE_ID: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID: &str = "b7ad6b7169203331";

fn header(version: &str) -> String {
    format!("{version}-{TRACE_ID}-{PARENT_ID}-01")
}

async fn call_over_http(sidecar: &Sidecar, trace: &str) {
    let messages = json!([{"role": "user", "content": "Hi"}]);
    let body = json!({"model": "echo", "messages": messages}).to_string();
    let call = direct_client().post(sidecar.url("/v1/chat/completions")).body(body);
    assert_eq!(sidecar.send(call.header("traceparent", trace)).await.status, 200);
}

#[tokio::test]
async fn are_in_the_journal_and_in_the_log() {
    let sidecar = Sidecar::start_with(&["--log-level", "debug"]);
    let mut call = Request::new(request([user("Hi")]));
    call.metadata_mut().insert("traceparent", header("00").parse().unwrap());
    sidecar.client().await.converse_alpha2(call).await.unwrap();
    call_over_http(&sidecar, &header("00")).await;
    let trace = json!({"trace_id": TRACE_ID, "parent_id": PARENT_ID});
    let all = entries(&sidecar, "").await;
    let found: Vec<_> = all.iter().map(|entry| (&entry["surface"], &entry["trace"])).collect();
    assert_eq!(found, [(&json!("grpc"), &trace), (&json!("openai"), &trace)]);
    assert_eq!(sidecar.log().matches(TRACE_ID).count(), 2);
}

#[tokio::test]
async fn invalid_ones_are_ignored() {
    let sidecar = Sidecar::start();
    call_over_http(&sidecar, &header("ff")).await;
    sidecar.converse(request([user("Hi")])).await.unwrap();
    let traces = entries(&sidecar, "").await;
    assert!(traces.iter().all(|entry| entry.get("trace").is_none()), "{}", Value::from(traces));
}
