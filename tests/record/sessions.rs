//! Sequences that several sessions record at once. The model knows the sessions by an id in the prompt, which
//! is not part of a recorded request.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Mutex,
};

use futures_util::future::join_all;
use serde_json::json;

use super::{
    component, recorded, recorder, replay,
    server::{Model, response},
    stop,
};
use crate::support::{Sidecar, http::direct_client, scratch};

const SESSIONS: usize = 8;
/// What the model answers one after the other, if all sessions get the same answers.
const ANSWERS: [&str; 5] = ["one", "two", "two", "three", "two"];

const ID: &str = "00000000-0000-4000-8000-00000000000";

/// Asks in a session, and returns the text.
async fn ask(sidecar: &Sidecar, session: usize) -> String {
    let prompt = format!("What is next for {ID}{session}?");
    let body = json!({ "model": "gpt", "messages": [{ "role": "user", "content": prompt }] });
    let post = direct_client().post(sidecar.url("/v1/chat/completions"));
    let session = post.header("mynah-session", format!("session-{session}"));
    let reply = sidecar.send(session.body(body.to_string())).await.json();
    reply["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

/// Asks as often as there are answers.
async fn ask_all(sidecar: &Sidecar, session: usize, answers: usize) -> Vec<String> {
    let mut texts = Vec::new();
    for _ in 0..answers {
        texts.push(ask(sidecar, session).await);
    }
    texts
}

/// Starts a model that gives each session its answers, the first, then the second, and so on.
async fn model(answers: impl Fn(usize, usize) -> String + Send + Sync + 'static) -> Model {
    let uses = Mutex::new(BTreeMap::<usize, usize>::new());
    Model::answering(move |request| {
        let session = request.split_once(ID).unwrap().1[..1].parse().unwrap();
        let mut uses = uses.lock().unwrap();
        let used = uses.entry(session).or_default();
        let text = answers(session, *used);
        *used += 1;
        let choice = json!({ "message": { "content": text }, "finish_reason": "stop" });
        response("200 OK", "application/json", &json!({ "choices": [choice] }).to_string())
    })
    .await
}

/// Records the answers of a model to sessions at once. Returns the components and the log.
async fn record(model: &Model, recordings: &Path, answers: usize) -> (PathBuf, String) {
    let components = component(&model.endpoint);
    let sidecar = recorder(&components, recordings);
    join_all((0..SESSIONS).map(|session| ask_all(&sidecar, session, answers))).await;
    (components, stop(sidecar).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_at_once_record_one_sequence() {
    let recordings = scratch("recordings");
    let model = model(|_, at| ANSWERS[at].to_owned()).await;
    let (components, log) = record(&model, &recordings, ANSWERS.len()).await;
    assert!(!log.contains("different answers"), "{log}");
    let text = recorded(&recordings);
    assert_eq!(text.matches("- name:").count(), 1, "{text}");
    drop(model);
    let sidecar = &replay(&components, &recordings);
    let sessions = (0..SESSIONS).map(|session| ask_all(sidecar, session, ANSWERS.len()));
    for answers in join_all(sessions).await {
        assert_eq!(answers, ANSWERS);
    }
}

/// The answer of a model that treats sessions differently from the second or the third answer on.
fn own_answer(session: usize, at: usize) -> String {
    match at {
        0 => "first".to_owned(),
        1 if session.is_multiple_of(2) => "first".to_owned(),
        1 | 2 => format!("{session}: second"),
        _ => format!("{session}: last"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_of_sessions_are_not_mixed() {
    const COUNT: usize = 5;
    let recordings = scratch("recordings");
    let model = model(own_answer).await;
    let (components, log) = record(&model, &recordings, COUNT).await;
    assert!(log.contains("two sessions got different answers to the same request"), "{log}");
    drop(model);
    let replayed = ask_all(&replay(&components, &recordings), 0, COUNT).await;
    let of = |session| (0..COUNT).map(|at| own_answer(session, at)).collect::<Vec<_>>();
    assert!((0..SESSIONS).any(|session| of(session) == replayed), "{replayed:?}");
}

/// One session after the other, so that all of it happens in a known order.
#[tokio::test]
async fn an_answer_that_was_repeated_elsewhere_is_no_gap() {
    let recordings = scratch("recordings");
    let model = model(|session, at| match (session, at) {
        (0, 0..3) | (1, 0) => "same".to_owned(),
        (0, _) => "of 0".to_owned(),
        (_, _) => format!("{at} of 1"),
    })
    .await;
    let components = component(&model.endpoint);
    let sidecar = recorder(&components, &recordings);
    for session in [0, 0, 0, 1, 1, 0, 1] {
        ask(&sidecar, session).await;
    }
    let log = stop(sidecar).await;
    assert_eq!(log.matches("two sessions got different answers").count(), 1, "{log}");
    drop(model);
    let replayed = ask_all(&replay(&components, &recordings), 0, 4).await;
    let own = ["same", "same", "same", "of 0"];
    let other = ["same", "1 of 1", "2 of 1", "2 of 1"];
    assert!(replayed == own || replayed == other, "{replayed:?}");
}
