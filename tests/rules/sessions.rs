//! Rules that count how often they have answered in a session.

use futures_util::future::join_all;
use serde_json::json;

use super::with_rules;
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
};

/// Returns the answer to a call in a session.
async fn ask_in(sidecar: &Sidecar, session: &str) -> String {
    let mut call = tonic::Request::new(request([user("next")]));
    call.metadata_mut().insert("mynah-session", session.parse().unwrap());
    let answer = sidecar.client().await.converse_alpha2(call).await.unwrap();
    crate::support::messages::Answer::from(answer.into_inner()).content
}

#[tokio::test]
async fn sessions_count_separately() {
    let sidecar = with_rules("rules:\n- {match: {user: next}, sequence: [one, two, three]}\n");
    assert_eq!(ask_in(&sidecar, "a").await, "one");
    assert_eq!(ask_in(&sidecar, "a").await, "two");
    assert_eq!(ask_in(&sidecar, "b").await, "one");
    assert_eq!(ask_in(&sidecar, "a").await, "three");
    let body = json!({"inputs": [{"messages": [{"ofUser": {"content": [{"text": "next"}]}}]}]});
    let url = sidecar.url("/v1.0-alpha2/conversation/echo/converse");
    let call = direct_client().post(url).header("mynah-session", "b").body(body.to_string());
    let answer = sidecar.send(call).await.json();
    assert_eq!(answer["outputs"][0]["choices"][0]["message"]["content"], "two");
}

#[tokio::test]
async fn rules_can_be_for_one_session() {
    let sidecar = with_rules("rules:\n- {match: {session: a}, respond: for a}\n- respond: other\n");
    assert_eq!(ask_in(&sidecar, "a").await, "for a");
    assert_eq!(ask_in(&sidecar, "b").await, "other");
}

/// Answers that depend on every kind of counter of a session.
const COUNTING: &str = "rules:
- {match: {user: first}, times: 2, respond: '{{ session }} is new'}
- {match: {user: count}, sequence: [one, {error: {code: ABORTED}, times: 2}, two], on_exhausted: loop}
- match: {user: half}
  faults: [{every: 2, error: {code: UNAVAILABLE}}, {probability: 0.5, error: {code: INTERNAL}}]
  respond: '{{ user }} of {{ session }}'
";
/// What each session asks, in this order.
const ASKED: [&str; 12] = [
    "first", "count", "half", "half a", "count", "first", "half b", "first", "count", "count",
    "half c", "count",
];

/// Makes a call in a session. Returns the status and the bytes of the answer.
async fn bytes_in(sidecar: &Sidecar, session: &str, prompt: &str) -> String {
    let body = json!({"inputs": [{"messages": [{"ofUser": {"content": [{"text": prompt}]}}]}]});
    let url = sidecar.url("/v1.0-alpha2/conversation/echo/converse");
    let call = direct_client().post(url).header("mynah-session", session).body(body.to_string());
    let answer = sidecar.send(call).await;
    format!("{} {}", answer.status, answer.body)
}

#[tokio::test]
async fn answers_do_not_depend_on_the_calls_of_other_sessions() {
    let sessions = ["a", "b", "c", "d"];
    let sidecar = with_rules(COUNTING);
    let mut expected = Vec::new();
    for session in sessions {
        for prompt in ASKED {
            expected.push(bytes_in(&sidecar, session, prompt).await);
        }
    }
    let interleaved = with_rules(COUNTING);
    let mut answers = vec![Vec::new(); sessions.len()];
    for turn in 0..ASKED.len() * sessions.len() {
        // 7 and 5 share no factor with the number of sessions: the order changes from round to round.
        let at = (turn * 7 + turn / sessions.len() * 5) % sessions.len();
        let prompt = ASKED[answers[at].len()];
        let answer = bytes_in(&interleaved, sessions[at], prompt).await;
        answers[at].push(answer);
    }
    assert_eq!(answers.concat(), expected);
    let parallel = with_rules(COUNTING);
    let answers = join_all(sessions.map(async |session| {
        let mut answers = Vec::new();
        for prompt in ASKED {
            answers.push(bytes_in(&parallel, session, prompt).await);
        }
        answers
    }));
    assert_eq!(answers.await.concat(), expected);
    let distinct: std::collections::BTreeSet<_> = expected.iter().collect();
    assert!(distinct.len() > 10, "the answers hardly differ: {distinct:?}");
}
