//! Rules that count how often they have answered in a session.

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
