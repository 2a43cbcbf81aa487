//! What the library offers for simulations in files, and for agents outside of the process.

use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;
use mynah::simulate::{
    self, EndReason, MessageDraft, ParticipantRole, Recording, Runner,
    participants::{CommandParticipant, HttpAgent, HttpParticipant, Script},
};
use serde_json::json;

use super::{files::folder_with, texts};
use crate::{
    forward::stub::{Stub, full},
    support::process::with_timeout,
};

/// Lets a customer say two things.
fn customer() -> (Script, MessageDraft) {
    let customer = Script::of_texts(ParticipantRole::Customer, ["one", "two"]);
    (customer, MessageDraft::new(ParticipantRole::Customer, "one"))
}

#[tokio::test]
async fn agents_behind_http_are_participants() {
    let server = Stub::start(|_: Request<Incoming>| async {
        Response::new(full(r#"{"reply": "Hello."}"#.to_owned()))
    })
    .await;
    let source = json!({
        "url": format!("http://{}/chat", server.address),
        "body": {"message": "{{ last.content }}"},
        "reply": "/reply",
    });
    let agent = HttpAgent::from_json(source).unwrap().retries(1);
    let agent = HttpParticipant::new(ParticipantRole::Agent, Arc::new(agent));
    let (customer, message) = customer();
    let result = with_timeout(Runner::new(customer, agent, message).run()).await;
    assert_eq!(texts(&result.conversation), ["C: one", "A: Hello.", "C: two", "A: Hello."]);
    let error = HttpAgent::from_json(json!({"uri": "http://127.0.0.1:1/"})).unwrap_err();
    assert!(error.to_string().starts_with("invalid agent: unknown field `uri`"), "{error}");
}

#[tokio::test]
async fn programs_are_participants() {
    let script = r#"read a; echo '"Yes."'; read b; echo '"Yes."'; read c; echo null"#;
    let agent = CommandParticipant::new(ParticipantRole::Agent, "sh", ["-c", script]);
    let (customer, message) = customer();
    let result = with_timeout(Runner::new(customer, agent, message).run()).await;
    assert_eq!(texts(&result.conversation), ["C: one", "A: Yes.", "C: two", "A: Yes."]);
    assert_eq!(result.end_reason, EndReason::BothPassed);
}

#[test]
fn mistakes_in_files_are_errors() {
    let folder = folder_with(&[
        ("simulate.yaml", "name: a\nscenarios: []\nin_flight: 0\n"),
        ("recorded.txt", ""),
        ("recorded.json", r#"{"conversations": 1}"#),
    ]);
    let shown = |error: String| error.replace(folder.to_str().unwrap(), "[folder]");
    let plan = simulate::load(&folder.join("simulate.yaml"));
    let error = shown(plan.map(drop).unwrap_err().to_string());
    assert!(error.starts_with("[folder]/simulate.yaml:3:12: "), "{error}");
    for (name, expected) in [
        (
            "recorded.txt",
            "[folder]/recorded.txt: the format of the recorded conversations is not known; expected a file .json or .csv",
        ),
        ("recorded.json", "[folder]/recorded.json:1:"),
    ] {
        let error = Recording::load(&folder.join(name)).unwrap_err();
        let error = shown(error.to_string());
        assert!(error.starts_with(expected), "{error}");
    }
}
