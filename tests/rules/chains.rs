//! Rules and instruction chains in the prompt.

use serde_json::{Value, json};

use super::{ask, component, write_rules};
use crate::support::{
    Sidecar,
    messages::{assistant, request, user},
};

const RULES: &str = "rules:\n- {match: {user: rule}, respond: rule}\n";
const CHAIN: &str = r#"<|instruction_start|>{"messages":[{"text":"chain"}]}<|instruction_end|>"#;
const BROKEN: &str = "<|instruction_start|>oops<|instruction_end|>";

/// Starts a sidecar with a scripted component that has rules and these metadata items.
fn sidecar(metadata: &str) -> Sidecar {
    let rules = write_rules(RULES);
    let metadata = format!("{{name: rules, value: {}}}{metadata}", rules.display());
    Sidecar::with_components(&component("echo", &metadata))
}

#[tokio::test]
async fn a_chain_in_the_prompt_goes_before_rules() {
    let sidecar = sidecar("");
    assert_eq!(ask(&sidecar, &format!("rule {CHAIN}")).await, "chain");
    assert_eq!(ask(&sidecar, CHAIN).await, "chain");
    assert_eq!(ask(&sidecar, "rule").await, "rule");
    let later = request([user(CHAIN), assistant("chain"), user("rule")]);
    let exhausted = "Chain completed - using fallback response";
    assert_eq!(sidecar.converse(later).await.unwrap().content, exhausted);
}

#[tokio::test]
async fn a_malformed_chain_fails_before_rules() {
    let prompt = format!("rule {BROKEN}");
    let error = ask(&sidecar(""), &prompt).await;
    assert!(error.starts_with("InvalidArgument: ") && error.contains("message 1"), "{error}");
    let lenient = sidecar(", {name: onMalformed, value: fallback}");
    assert_eq!(ask(&lenient, &prompt).await, "rule");
}

#[tokio::test]
async fn rules_follow_an_exhausted_chain_if_the_fallback_does() {
    let sidecar = sidecar(", {name: onExhausted, value: fallback}");
    let history = |prompt: &str| request([user(CHAIN), assistant("chain"), user(prompt)]);
    assert_eq!(sidecar.converse(history("rule")).await.unwrap().content, "rule");
    assert_eq!(sidecar.converse(history("other")).await.unwrap().content, "other");
}

#[tokio::test]
async fn chains_that_are_off_are_text() {
    let sidecar = sidecar(", {name: chains, value: false}");
    assert_eq!(ask(&sidecar, &format!("rule {CHAIN}")).await, "rule");
}

async fn explain(sidecar: &Sidecar, messages: Value) -> Value {
    let body = json!({"component": "echo", "request": {"inputs": [{"messages": messages}]}});
    sidecar.post("/mynah/v1/explain", body.to_string()).await.json()
}

fn said(text: &str) -> Value {
    json!({"ofUser": {"content": [{"text": text}]}})
}

#[tokio::test]
async fn explain_names_the_chain_that_answers() {
    let exhausted = sidecar(", {name: onExhausted, value: fallback}");
    let explained = explain(&exhausted, json!([said(&format!("rule {CHAIN}"))])).await;
    assert_eq!(explained["chain"], json!({"message": 1, "step": 1}));
    assert_eq!(explained["answered_by"], Value::Null);
    let rule = &explained["rules"][0];
    assert_eq!((&rule["matches"], &rule["answers"]), (&json!(true), &json!(false)));

    let assistant = json!({"ofAssistant": {"content": [{"text": "chain"}]}});
    let history = json!([said(CHAIN), assistant, said("rule")]);
    let explained = explain(&exhausted, history).await;
    assert_eq!((&explained["chain"], &explained["answered_by"]), (&Value::Null, &json!("1")));

    let explained = explain(&exhausted, json!([said(&format!("rule {BROKEN}"))])).await;
    let error = explained["chain"]["error"].as_str().unwrap();
    assert!(error.contains("message 1"), "{error}");
    assert_eq!(explained["answered_by"], Value::Null);
}

#[tokio::test]
async fn explain_does_not_count_the_failures_of_a_chain() {
    let sidecar = sidecar("");
    let failing = r#"<|instruction_start|>{"instruction_chain":[{"error":{"code":"UNAVAILABLE"},"times":1},{"messages":[{"text":"fine"}]}]}<|instruction_end|>"#;
    for _ in 0..2 {
        let explained = explain(&sidecar, json!([said(failing)])).await;
        assert_eq!(explained["chain"], json!({"message": 1, "step": 1}));
    }
    assert!(ask(&sidecar, failing).await.starts_with("Unavailable"));
    let explained = explain(&sidecar, json!([said(failing)])).await;
    assert_eq!(explained["chain"], json!({"message": 1, "step": 2}));
    assert_eq!(ask(&sidecar, failing).await, "fine");
}
