//! Calls that wait because of a delay or a fault.

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::json;
use tonic::{Code, Status};

use super::{entries, send};
use crate::{
    chains::chain,
    support::{
        Sidecar,
        http::direct_client,
        messages::{Answer, request, user},
    },
};

const FAULTS: &str = "/mynah/v1/faults";

async fn set_fault(sidecar: &Sidecar, fault: serde_json::Value) {
    let put = direct_client().put(sidecar.url(FAULTS)).body(fault.to_string());
    assert_eq!(sidecar.send(put).await.status, 204);
}

/// Makes a call in a session.
async fn call(sidecar: &Sidecar, session: &str) -> Result<String, Status> {
    say(sidecar, session, "hi").await
}

/// Says something in a session.
async fn say(sidecar: &Sidecar, session: &str, text: &str) -> Result<String, Status> {
    let answer = sidecar.client().await.converse_alpha2(saying(session, text)).await?;
    Ok(Answer::from(answer.into_inner()).content)
}

fn saying(session: &str, text: &str) -> ConversationRequestAlpha2 {
    let mut call = request([user(text)]);
    call.metadata.insert("mynah-session".to_owned(), session.to_owned());
    call
}

/// Waits until this number of calls wait in a session.
async fn wait_for(sidecar: &Sidecar, session: &str, calls: usize) {
    let check = json!({"session": session, "waiting": calls, "wait": "1m"}).to_string();
    let reply = sidecar.post("/mynah/v1/verify", check).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.json()["waiting"], calls);
}

#[tokio::test]
async fn removing_faults_ends_the_waits_of_the_session() {
    let sidecar = Sidecar::start();
    set_fault(&sidecar, json!({"delay": "1h"})).await;
    let ends = async {
        wait_for(&sidecar, "a", 2).await;
        wait_for(&sidecar, "b", 1).await;
        let path = format!("{FAULTS}?session=a");
        assert_eq!(send(&sidecar, "DELETE", &path).await.0, 204);
        assert_eq!(send(&sidecar, "POST", "/mynah/v1/reset?session=b").await.0, 204);
    };
    let (first, second, other, ()) =
        tokio::join!(call(&sidecar, "a"), call(&sidecar, "a"), call(&sidecar, "b"), ends);
    assert_eq!([first, second, other].map(Result::unwrap), ["hi", "hi", "hi"]);
}

#[tokio::test]
async fn a_call_that_hangs_fails_when_its_wait_ends() {
    let sidecar = Sidecar::start();
    set_fault(&sidecar, json!({"session": "a", "hang": true})).await;
    let ends = async {
        wait_for(&sidecar, "a", 1).await;
        assert_eq!(send(&sidecar, "DELETE", FAULTS).await.0, 204);
    };
    let (hanging, ()) = tokio::join!(call(&sidecar, "a"), ends);
    assert_eq!(hanging.unwrap_err().code(), Code::DeadlineExceeded);
    assert_eq!(call(&sidecar, "a").await.unwrap(), "hi");
}

#[tokio::test]
async fn a_call_that_is_cancelled_does_not_wait() {
    let sidecar = Sidecar::with_components(&crate::chains::component("echo", ""));
    let slow = json!([{"messages": [{"text": "late"}], "delay": "1h"}]);
    sidecar.abandon(request([chain(slow)])).await;
    let check = json!({"match": {}, "outcome": "cancelled", "wait": "1m"}).to_string();
    assert_eq!(sidecar.post("/mynah/v1/verify", check).await.status, 200);
    let waiting = json!({"waiting": 1}).to_string();
    let reply = sidecar.post("/mynah/v1/verify", waiting).await;
    assert_eq!((reply.status, &reply.json()["waiting"]), (409, &json!(0)));
}

#[tokio::test]
async fn large_calls_wait_too() {
    let sidecar = Sidecar::start();
    let text = "word ".repeat(50_000);
    set_fault(&sidecar, json!({"session": "a", "delay": "1h"})).await;
    let ends = async {
        wait_for(&sidecar, "a", 1).await;
        assert_eq!(send(&sidecar, "DELETE", FAULTS).await.0, 204);
    };
    let (answer, ()) = tokio::join!(say(&sidecar, "a", &text), ends);
    assert_eq!(answer.unwrap(), text);
    // Even if the wait ends immediately.
    set_fault(&sidecar, json!({"session": "a", "delay": "1ns"})).await;
    assert_eq!(say(&sidecar, "a", &text).await.unwrap(), text);
    set_fault(&sidecar, json!({"session": "a", "hang": true})).await;
    sidecar.abandon(saying("a", &text)).await;
    let check = json!({"session": "a", "match": {}, "outcome": "cancelled", "wait": "1m"});
    let reply = sidecar.post("/mynah/v1/verify", check.to_string()).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let cancelled = entries(&sidecar, "session=a&outcome=cancelled").await;
    assert_eq!(cancelled[0]["component"], "echo", "{cancelled:?}");
}
