//! Rules that call tools.

use std::fs;

use mynah::internals::wire::proto::{ConversationMessage, ConversationRequestAlpha2};
use serde_json::{Value, json};

use super::with_rules;
use crate::support::{
    Sidecar,
    messages::{Answer, assistant_with_calls, prompt, tool, tool_call, tool_result, user},
    process::run,
    scratch,
};

const CALL: &str = "[{tool_call: [{name: get_weather, args: {}}]}]";

/// Returns a call with these messages that offers a tool.
fn offering(messages: impl Into<Vec<ConversationMessage>>) -> ConversationRequestAlpha2 {
    let mut call = prompt("", [tool("get_weather", json!({}))]);
    call.inputs[0].messages = messages.into();
    call
}

async fn ask(sidecar: &Sidecar, messages: impl Into<Vec<ConversationMessage>>) -> Answer {
    sidecar.converse(offering(messages)).await.unwrap()
}

/// The history after the call of a tool.
fn after_call(tool: &str) -> Vec<ConversationMessage> {
    let calls = assistant_with_calls("", [tool_call("c1", tool, "{}")]);
    vec![user("weather"), calls, tool_result("c1", tool, "rain")]
}

#[tokio::test]
async fn a_rule_that_calls_tools_does_not_answer_results() {
    let sidecar = with_rules(&format!(
        "rules:
- {{match: {{user: weather}}, respond: {CALL}}}
- {{match: {{last_tool_result: {{tool: get_weather}}}}, respond: It rains.}}
"
    ));
    assert_eq!(ask(&sidecar, [user("weather")]).await.calls.len(), 1);
    assert_eq!(ask(&sidecar, after_call("get_weather")).await.content, "It rains.");
    let of_other = ask(&sidecar, after_call("get_time")).await;
    assert!(of_other.calls.is_empty(), "of whichever tool: {of_other:?}");
    let again = [after_call("get_weather"), vec![user("weather again")]].concat();
    assert_eq!(ask(&sidecar, again).await.calls.len(), 1, "the user has asked again");
}

#[tokio::test]
async fn conditions_on_results_or_turns_take_precedence() {
    let cases = [
        ("", false),
        (", tools: [get_weather]", false),
        (", has_tool_result: true", true),
        (", has_tool_result_since_user: true", true),
        (", last_tool_result: rain", true),
        (", turn: 1", true),
        (", turn: {at_least: 0}", true),
    ];
    for (condition, calls) in cases {
        let sidecar = with_rules(&format!(
            "rules:\n- {{match: {{user: weather{condition}}}, respond: {CALL}}}\n- respond: other\n"
        ));
        let answer = ask(&sidecar, after_call("get_weather")).await;
        assert_eq!(!answer.calls.is_empty(), calls, "{condition}: {answer:?}");
    }
}

#[tokio::test]
async fn chains_and_sequences_select_by_themselves() {
    for answers in ["chain: [first, ", "sequence: ["] {
        let text = format!("rules:\n- {{match: {{user: weather}}, {answers}{CALL}]}}\n");
        let answer = ask(&with_rules(&text), after_call("get_weather")).await;
        assert_eq!(answer.calls.len(), 1, "{answers}");
    }
}

#[tokio::test]
async fn a_text_beside_the_calls_changes_nothing() {
    let sidecar = with_rules(
        "rules:
- match: {user: weather}
  respond: [{text: Let me see.}, {tool_call: [{name: get_weather, args: {}}]}]
- respond: other
",
    );
    assert_eq!(ask(&sidecar, [user("weather")]).await.content, "Let me see.");
    assert_eq!(ask(&sidecar, after_call("get_weather")).await.content, "other");
}

#[tokio::test]
async fn explain_names_the_condition() {
    let sidecar = with_rules(&format!("rules:\n- {{match: {{user: weather}}, respond: {CALL}}}\n"));
    let messages = json!([
        {"ofUser": {"content": [{"text": "weather"}]}},
        {"ofTool": {"toolId": "1", "name": "get_weather", "content": [{"text": "rain"}]}},
    ]);
    let request = json!({"inputs": [{"messages": messages}]});
    let body = json!({"component": "echo", "request": request}).to_string();
    let explained: Value = sidecar.post("/mynah/v1/explain", body).await.json();
    let expected = json!([{
        "condition": "has_tool_result",
        "expected": "false, because the rule calls tools and has no condition on results or turns",
        "seen": "true",
    }]);
    assert_eq!(explained["rules"][0]["mismatches"], expected, "{explained}");
}

#[tokio::test]
async fn fixtures_of_aimock_and_their_conversion_answer_results() {
    let fixtures = r#"{"fixtures": [{"match": {"userMessage": "weather"},
        "response": {"toolCalls": [{"name": "get_weather", "arguments": {}}]}}]}"#;
    let folder = scratch("aimock");
    let (json, yaml) = (folder.join("fixtures.json"), folder.join("rules.yaml"));
    fs::write(&json, fixtures).unwrap();
    fs::write(&yaml, run(&["import", "aimock", json.to_str().unwrap()]).stdout).unwrap();
    for file in [json, yaml] {
        let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap()]);
        let answer = ask(&sidecar, after_call("get_weather")).await;
        assert_eq!(answer.calls.len(), 1, "{}", file.display());
    }
}
