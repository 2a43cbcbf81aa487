//! Tests of retries by daprd's resiliency policies.

use mynah_needs::needs;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{Sockets, converse};
use crate::{
    interop::{load::prompt, toolchain},
    parity::target::Program,
    support::Sidecar,
};

/// A policy that retries the calls of a component.
fn retries(count: u64) -> Value {
    let retry = json!({"policy": "constant", "duration": "20ms", "maxRetries": count});
    json!({
        "policies": {"retries": {"again": retry}},
        "targets": {"components": {"assistant": {"outbound": {"retry": "again"}}}},
    })
}

/// A prompt to which the model answers after two failures.
fn flaky() -> Value {
    let failure = json!({
        "error": {"code": "UNAVAILABLE", "message": "the model is busy"}, "times": 2,
    });
    let chain = json!({"instruction_chain": [failure, {"messages": [{"text": "Hi."}]}]});
    prompt(&format!("<|instruction_start|>{chain}<|instruction_end|>"))
}

/// Sends the flaky prompt through a daprd that retries. Returns the status, and the outcomes in the
/// journal of mynah.
async fn ask(sockets: &Sockets, mynah: &Sidecar, program: &Program) -> (u16, Vec<Value>) {
    let component = ("assistant", [("provider", "scripted")].as_slice());
    let daprd = sockets.start(program, &[component]).await.expect("daprd starts");
    let (status, _) = converse(daprd.http, "assistant", &flaky()).await;
    let journal = mynah.get("/mynah/v1/journal").await.json();
    let entries = journal["entries"].as_array().unwrap();
    (status, entries.iter().map(|entry| entry["outcome"].clone()).collect())
}

#[needs("daprd")]
#[test]
fn daprd_makes_as_many_calls_as_its_policy_allows() {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd_with_adaptor()?);
        Runtime::new().unwrap().block_on(async {
            for (count, status, outcomes) in
                [(3, 200, vec!["failed", "failed", "ok"]), (1, 500, vec!["failed", "failed"])]
            {
                let sockets = Sockets { resiliency: Some(retries(count)), ..Sockets::new("mynah") };
                let mynah = sockets.serve();
                let answer = ask(&sockets, &mynah, &program).await;
                assert_eq!(answer, (status, outcomes.into_iter().map(Value::from).collect()));
            }
        });
        Ok(())
    });
}
