//! Every example of the original description of instruction chains, by its name there.
//!
//! Where a chain that is not one differs: the description falls back to a default where mynah says
//! what is wrong with a JSON object that is no chain.

use serde_json::json;

use crate::{
    chains::{chain, scripted, tagged, text},
    support::{
        Sidecar,
        messages::{assistant, call, calls, request, result, system, user},
    },
};

const EXHAUSTED: &str = "Chain completed - using fallback response";

fn three() -> serde_json::Value {
    json!([text("first"), text("second"), text("third")])
}

async fn content(
    sidecar: &Sidecar,
    messages: impl Into<Vec<mynah::wire::proto::ConversationMessage>>,
) -> String {
    sidecar.converse(request(messages)).await.unwrap().content
}

#[tokio::test]
async fn should_find_last_instruction_chain() {
    let sidecar = scripted("");
    let older = chain(json!([text("old")]));
    let history = [older, assistant("old"), chain(three()), user("and?")];
    assert_eq!(content(&sidecar, history).await, "first");
}

#[tokio::test]
async fn should_count_only_assistant_responses() {
    let sidecar = scripted("");
    let history =
        [chain(three()), system("s"), assistant("first"), result("1", "f", "r"), user("u")];
    assert_eq!(content(&sidecar, history).await, "second");
}

#[tokio::test]
async fn should_handle_chain_exhaustion() {
    let sidecar = scripted("");
    let history = [chain(json!([text("only")])), assistant("only")];
    let answer = sidecar.converse(request(history)).await.unwrap();
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), (EXHAUSTED, "stop"));
}

#[tokio::test]
async fn should_execute_multi_step_workflow() {
    let sidecar = scripted("");
    let mut history = vec![chain(three())];
    for expected in ["first", "second", "third", EXHAUSTED, EXHAUSTED] {
        let said = content(&sidecar, history.clone()).await;
        assert_eq!(said, expected);
        history.push(assistant(&said));
    }
}

/// The example conversation: the fourth request after the chain, whether or not there is a step.
#[tokio::test]
async fn example_conversation_analysis() {
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
            result("1", "tool", "Tool output"),
            assistant("Second response"),
            user("Continue"),
            assistant("Third response"),
        ];
        assert_eq!(content(&sidecar, history).await, expected);
    }
}

#[tokio::test]
async fn edge_case_1_an_empty_conversation_uses_the_fallback() {
    assert_eq!(content(&scripted(""), []).await, "");
}

#[tokio::test]
async fn edge_case_2_without_a_chain_a_single_instruction_counts() {
    let sidecar = scripted("");
    assert_eq!(content(&sidecar, [tagged(r#"{"messages":[{"text":"one"}]}"#)]).await, "one");
    assert_eq!(content(&sidecar, [user("plain")]).await, "plain");
}

#[tokio::test]
async fn edge_case_3_malformed_json_uses_the_fallback() {
    let sidecar = scripted("");
    for broken in ["{", r#"{"messages":[}"#, "", "hello", "[]", "3", "null"] {
        let message = tagged(broken);
        let expected = format!("Start <|instruction_start|>{broken}<|instruction_end|> now");
        assert_eq!(content(&sidecar, [message]).await, expected);
    }
}

#[tokio::test]
async fn edge_case_4_an_index_out_of_bounds_uses_the_fallback() {
    let history = [chain(three()), assistant("1"), assistant("2"), assistant("3"), assistant("4")];
    assert_eq!(content(&scripted(""), history).await, EXHAUSTED);
}

#[tokio::test]
async fn edge_case_5_null_fields_have_their_defaults() {
    let step = json!({"id": null, "reasoning": null, "messages": [{"text": "x", "json": null}],
        "delay": null, "usage": null, "error": null, "words_per_chunk": null});
    let answer = scripted("").converse(request([chain(json!([step]))])).await.unwrap();
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), ("x", "stop"));
}

#[tokio::test]
async fn supported_formats_are_all_three() {
    let sidecar = scripted("");
    assert_eq!(content(&sidecar, [chain(json!([text("chain")]))]).await, "chain");
    assert_eq!(content(&sidecar, [tagged(&text("single").to_string())]).await, "single");
    assert_eq!(content(&sidecar, [user("neither")]).await, "neither");
}

#[tokio::test]
async fn both_formats_stand_side_by_side() {
    let sidecar = scripted("");
    let single = tagged(&text("single").to_string());
    let history = [chain(three()), assistant("first"), single.clone()];
    assert_eq!(content(&sidecar, history).await, "single");
    assert_eq!(content(&sidecar, [single, assistant("single"), chain(three())]).await, "first");
}

/// Some clients store the calls of a turn in a message of their own.
#[tokio::test]
async fn calls_right_after_a_text_belong_to_its_turn() {
    let sidecar = scripted("");
    let calls = || calls("", [call("1", "f", "{}")]);
    let one_turn = [chain(three()), assistant("first"), calls(), result("1", "f", "r")];
    assert_eq!(content(&sidecar, one_turn).await, "second");
    let two_turns = [chain(three()), calls(), result("1", "f", "r"), calls()];
    assert_eq!(content(&sidecar, two_turns).await, "third");
}
