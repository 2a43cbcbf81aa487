//! Tests of steps that fail a number of times before the next step.

use mynah::internals::wire::{json, proto::ConversationMessage};
use serde_json::{Value, json};
use tonic::{Code, Request};

use super::{chain, content, failure, reason, scripted, text};
use crate::support::{
    Sidecar,
    messages::{Answer, assistant, request, tool, user},
    stream,
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

fn fails(code: &str, times: u32) -> Value {
    json!({"error": {"code": code}, "times": times})
}

/// Makes a call in a session.
async fn converse_in(
    sidecar: &Sidecar,
    session: &str,
    messages: &[ConversationMessage],
) -> Result<String, Code> {
    let mut call = Request::new(request(messages));
    call.metadata_mut().insert("mynah-session", session.parse().unwrap());
    let answer = sidecar.client().await.converse_alpha2(call).await;
    let answer = answer.map_err(|status| status.code())?;
    Ok(Answer::from(answer.into_inner()).content)
}

#[tokio::test]
async fn fails_before_the_next_step_runs() {
    let sidecar = scripted("");
    let steps =
        [chain(json!([fails("UNAVAILABLE", 2), text("one"), fails("ABORTED", 1), text("two")]))];
    for _ in 0..2 {
        assert_eq!(failure(&sidecar, request(steps.clone())).await.0, Code::Unavailable);
    }
    assert_eq!(content(&sidecar, steps.clone()).await, "one");
    assert_eq!(content(&sidecar, steps.clone()).await, "one");
    let history = [&steps[..], &[assistant("one")]].concat();
    assert_eq!(failure(&sidecar, request(history.clone())).await.0, Code::Aborted);
    assert_eq!(content(&sidecar, history).await, "two");
}

#[tokio::test]
async fn several_failing_steps_follow_each_other() {
    let sidecar = scripted("");
    let steps = [chain(json!([fails("UNAVAILABLE", 1), fails("ABORTED", 1), text("fine")]))];
    for code in [Code::Unavailable, Code::Aborted] {
        let status = stream(&sidecar, request(steps.clone())).await.unwrap_err();
        assert_eq!(status.code(), code);
        assert!(reason(&status).starts_with("scripted "), "{status:?}");
    }
    assert_eq!(stream(&sidecar, request(steps)).await.unwrap().answer.content, "fine");
}

#[tokio::test]
async fn counts_each_request_and_each_session_for_itself() {
    let sidecar = scripted("");
    let steps = chain(json!([fails("UNAVAILABLE", 1), text("fine")]));
    let other = [user("another request"), steps.clone()];
    let steps = [steps];
    for session in ["a", "b"] {
        assert_eq!(converse_in(&sidecar, session, &steps).await, Err(Code::Unavailable));
        assert_eq!(converse_in(&sidecar, session, &other).await, Err(Code::Unavailable));
        assert_eq!(converse_in(&sidecar, session, &steps).await, Ok("fine".to_owned()));
        assert_eq!(converse_in(&sidecar, session, &other).await, Ok("fine".to_owned()));
    }
}

#[tokio::test]
async fn failing_steps_after_the_last_turn_come_before_the_end_of_the_chain() {
    let sidecar = scripted("");
    let exhausted = "Chain completed - using fallback response";
    let steps = [chain(json!([text("one"), fails("ABORTED", 1)])), assistant("one")];
    assert_eq!(failure(&sidecar, request(steps.clone())).await.0, Code::Aborted);
    assert_eq!(content(&sidecar, steps).await, exhausted);
    for on_exhausted in ["message", "repeat_last", "loop"] {
        let sidecar = scripted(&format!("{{name: onExhausted, value: {on_exhausted}}}"));
        let only = [chain(json!([fails("ABORTED", 1)]))];
        assert_eq!(failure(&sidecar, request(only.clone())).await.0, Code::Aborted);
        assert_eq!(content(&sidecar, only).await, exhausted, "{on_exhausted}");
    }
}

#[tokio::test]
async fn counts_over_http_as_over_grpc() {
    let sidecar = scripted("");
    let request = request([chain(json!([fails("UNAVAILABLE", 2), text("fine")]))]);
    let body = json::write(&request).unwrap();
    assert_eq!(sidecar.post(ALPHA2, body.clone()).await.status, 503);
    assert_eq!(failure(&sidecar, request).await.0, Code::Unavailable);
    assert_eq!(sidecar.post(ALPHA2, body).await.status, 200);
}

#[tokio::test]
async fn calls_tools_with_arguments_that_are_not_json() {
    let raw = "{\"from\": \"Ber";
    let calls = json!([{"name": "book", "raw_args": raw}, {"name": "book", "raw_args": ""}]);
    let steps = chain(json!([{"messages": [{"tool_call": calls}]}]));
    let mut request = request([steps]);
    request.tools = vec![tool("book", Value::Null)];
    let reply = scripted("").post(ALPHA2, json::write(&request).unwrap()).await.json();
    let calls = reply["outputs"][0]["choices"][0]["message"]["toolCalls"].as_array().unwrap();
    let arguments: Vec<_> = calls.iter().map(|call| &call["function"]["arguments"]).collect();
    // Proto JSON leaves out empty texts.
    assert_eq!(arguments, [&json!(raw), &Value::Null]);
}
