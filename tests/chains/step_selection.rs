//! Tests of which chain in the history is used, and which of its steps runs.
//!
//! Text between tags is skipped if it is not a JSON object. An object that is not a valid chain is
//! an error.

use serde_json::json;

use super::{chain, content, scripted, tagged, text};
use crate::support::messages::{
    assistant, assistant_with_calls, request, system, tool_call, tool_result, user,
};

const EXHAUSTED: &str = "Chain completed - using fallback response";

fn three_steps() -> serde_json::Value {
    json!([text("first"), text("second"), text("third")])
}

#[tokio::test]
async fn follows_the_last_chain() {
    let sidecar = scripted("");
    let older = chain(json!([text("old")]));
    let history = [older, assistant("old"), chain(three_steps()), user("and?")];
    assert_eq!(content(&sidecar, history).await, "first");
}

#[tokio::test]
async fn counts_only_assistant_messages_after_the_chain() {
    let sidecar = scripted("");
    let history = [
        chain(three_steps()),
        system("s"),
        assistant("first"),
        tool_result("1", "f", "r"),
        user("u"),
    ];
    assert_eq!(content(&sidecar, history).await, "second");
}

#[tokio::test]
async fn answers_with_the_fallback_after_the_last_step() {
    let sidecar = scripted("");
    let history = [chain(json!([text("only")])), assistant("only")];
    let answer = sidecar.converse(request(history)).await.unwrap();
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), (EXHAUSTED, "stop"));
}

#[tokio::test]
async fn follows_the_steps_one_by_one() {
    let sidecar = scripted("");
    let mut history = vec![chain(three_steps())];
    for expected in ["first", "second", "third", EXHAUSTED, EXHAUSTED] {
        let text = content(&sidecar, history.clone()).await;
        assert_eq!(text, expected);
        history.push(assistant(&text));
    }
}

#[tokio::test]
async fn finds_the_fourth_step_in_a_mixed_history() {
    let sidecar = scripted("");
    for (steps, expected) in [
        (json!([text("0"), text("1"), text("2"), text("3")]), "3"),
        (json!([text("0"), text("1"), text("2")]), EXHAUSTED),
    ] {
        let history = [
            user("Hello"),
            assistant("Hi there!"),
            chain(steps),
            assistant("First response"),
            tool_result("1", "tool", "Tool output"),
            assistant("Second response"),
            user("Continue"),
            assistant("Third response"),
        ];
        assert_eq!(content(&sidecar, history).await, expected);
    }
}

#[tokio::test]
async fn uses_the_fallback_for_an_empty_conversation() {
    assert_eq!(content(&scripted(""), []).await, "");
}

#[tokio::test]
async fn follows_a_single_step_outside_a_chain() {
    let sidecar = scripted("");
    assert_eq!(content(&sidecar, [tagged(r#"{"messages":[{"text":"one"}]}"#)]).await, "one");
    assert_eq!(content(&sidecar, [user("plain")]).await, "plain");
}

#[tokio::test]
async fn uses_the_fallback_if_there_is_no_json_object_between_the_tags() {
    let sidecar = scripted("{name: onMalformed, value: fallback}");
    for broken in ["{", r#"{"messages":[}"#, "", "hello", "[]", "3", "null"] {
        let message = tagged(broken);
        let expected = format!("Start <|instruction_start|>{broken}<|instruction_end|> now");
        assert_eq!(content(&sidecar, [message]).await, expected);
    }
}

#[tokio::test]
async fn uses_the_fallback_long_after_the_last_step() {
    let history =
        [chain(three_steps()), assistant("1"), assistant("2"), assistant("3"), assistant("4")];
    assert_eq!(content(&scripted(""), history).await, EXHAUSTED);
}

#[tokio::test]
async fn treats_null_as_absent() {
    let step = json!({"id": null, "reasoning": null, "messages": [{"text": "x", "json": null}],
        "delay": null, "usage": null, "error": null, "words_per_chunk": null});
    let answer = scripted("").converse(request([chain(json!([step]))])).await.unwrap();
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), ("x", "stop"));
}

#[tokio::test]
async fn accepts_a_chain_a_single_step_and_plain_text() {
    let sidecar = scripted("");
    assert_eq!(content(&sidecar, [chain(json!([text("chain")]))]).await, "chain");
    assert_eq!(content(&sidecar, [tagged(&text("single").to_string())]).await, "single");
    assert_eq!(content(&sidecar, [user("neither")]).await, "neither");
}

#[tokio::test]
async fn prefers_the_later_of_a_chain_and_a_single_step() {
    let sidecar = scripted("");
    let single = tagged(&text("single").to_string());
    let history = [chain(three_steps()), assistant("first"), single.clone()];
    assert_eq!(content(&sidecar, history).await, "single");
    assert_eq!(
        content(&sidecar, [single, assistant("single"), chain(three_steps())]).await,
        "first"
    );
}

/// Some clients store the text and the tool calls of one turn in two messages.
#[tokio::test]
async fn counts_calls_right_after_a_text_as_the_same_turn() {
    let sidecar = scripted("");
    let calls = || assistant_with_calls("", [tool_call("1", "f", "{}")]);
    let one_turn = [chain(three_steps()), assistant("first"), calls(), tool_result("1", "f", "r")];
    assert_eq!(content(&sidecar, one_turn).await, "second");
    let two_turns = [chain(three_steps()), calls(), tool_result("1", "f", "r"), calls()];
    assert_eq!(content(&sidecar, two_turns).await, "third");
}

#[tokio::test]
async fn starts_a_new_chain_at_its_first_step() {
    let sidecar = scripted("");
    let first = chain(json!([text("a"), text("b")]));
    let second = chain(json!([text("c"), text("d")]));
    let history = [first, assistant("a"), second, assistant("c"), user("go on")];
    assert_eq!(content(&sidecar, &history[..3]).await, "c");
    assert_eq!(content(&sidecar, history).await, "d");
}
