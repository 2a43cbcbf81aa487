//! The components that have rules.

use std::fs;

use insta::assert_snapshot;
use mynah::internals::wire::proto::ConversationRequestAlpha2;

use serde_json::json;

use super::{ask, component, with_rules, write_rules};
use crate::support::{
    Sidecar,
    messages::{request, user},
    process::{run, wait_until},
    scratch,
};

async fn ask_component(sidecar: &Sidecar, name: &str, prompt: &str) -> String {
    let asked = ConversationRequestAlpha2 { name: name.to_owned(), ..request([user(prompt)]) };
    sidecar.converse(asked).await.unwrap().content
}

/// Returns the YAML of a component of a type that mynah does not know.
fn other(name: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec: {{type: conversation.openai, version: v1}}\n"
    )
}

#[tokio::test]
async fn rules_of_components_are_relative_to_their_files() {
    let folder = scratch("components");
    fs::create_dir(folder.join("rules")).unwrap();
    fs::write(folder.join("rules/a.json"), r#"{"rules": [{"respond": "from a"}]}"#).unwrap();
    let inline = r#"{name: rules, value: "rules:\n- {match: {user: inline}, respond: from b}\n"}"#;
    let components = [
        component("a", "{name: rules, value: rules/a.json}"),
        component("b", inline),
        component("c", "{name: fallback, value: a}"),
    ];
    fs::write(folder.join("all.yaml"), components.join("---\n")).unwrap();
    let sidecar = Sidecar::start_with(&["--resources-path", folder.to_str().unwrap()]);
    assert_eq!(ask_component(&sidecar, "a", "Hi").await, "from a");
    assert_eq!(ask_component(&sidecar, "b", "inline").await, "from b");
    assert_eq!(ask_component(&sidecar, "b", "Hi").await, "Hi");
    assert_eq!(ask_component(&sidecar, "c", "Hi").await, "from a");
}

#[tokio::test]
async fn a_flag_gives_rules_to_stand_ins_and_scripted_components() {
    let rules = write_rules(
        "rules:
- {match: {component: gpt, user: Hi}, respond: from gpt}
- {match: {user: Hi}, respond: shared}
",
    );
    let folder = scratch("components");
    let own = r#"{name: rules, value: "rules:\n- {respond: own}\n"}"#;
    let echo = component("echo", "").replace("scripted", "echo");
    let all = [other("gpt"), other("claude"), component("a", ""), component("b", own), echo];
    fs::write(folder.join("all.yaml"), all.join("---\n")).unwrap();
    let flags = ["--resources-path", folder.to_str().unwrap(), "--rules", rules.to_str().unwrap()];
    for stand_in in ["echo", "scripted"] {
        let flags = [&flags[..], &["--stand-in", stand_in]].concat();
        let sidecar = Sidecar::start_with(&flags);
        let expected = [
            ("gpt", "from gpt"),
            ("claude", "shared"),
            ("a", "shared"),
            ("b", "own"),
            ("echo", "Hi"),
        ];
        for (name, answer) in expected {
            assert_eq!(ask_component(&sidecar, name, "Hi").await, answer, "{name}");
        }
    }
}

#[tokio::test]
async fn a_stand_in_can_be_scripted() {
    let folder = scratch("components");
    fs::write(folder.join("all.yaml"), other("gpt")).unwrap();
    let flags = ["--resources-path", folder.to_str().unwrap(), "--stand-in", "scripted"];
    let sidecar = Sidecar::start_with(&flags);
    let chain = r#"<|instruction_start|>{"messages":[{"text":"chain"}]}<|instruction_end|>"#;
    assert_eq!(ask_component(&sidecar, "gpt", chain).await, "chain");
    assert_eq!(ask_component(&sidecar, "gpt", "Hi").await, "Hi");
}

#[tokio::test]
async fn models_are_those_that_clients_ask_for() {
    let sidecar = with_rules(
        "rules:
- {match: {model: {starts_with: gpt-4}}, respond: large}
- {match: {model: echo}, respond: model of the component}
",
    );
    for (model, expected) in [("gpt-4o", "large"), ("gpt-5", "Hi")] {
        let body = json!({"model": model, "messages": [{"role": "user", "content": "Hi"}]});
        let answer = sidecar.post("/v1/chat/completions", body.to_string()).await.json();
        assert_eq!(answer["choices"][0]["message"]["content"], expected, "{answer}");
    }
    assert_eq!(ask(&sidecar, "Hi").await, "model of the component");
}

#[tokio::test]
async fn changed_rules_are_reloaded() {
    let rules = write_rules("rules:\n- respond: old\n");
    let sidecar = Sidecar::start_with(&["--rules", rules.to_str().unwrap()]);
    assert_eq!(ask(&sidecar, "Hi").await, "old");
    let put = |text: &str| {
        let temporary = rules.with_extension("temporary");
        fs::write(&temporary, text).unwrap();
        fs::rename(temporary, &rules).unwrap();
    };
    put("rules:\n- respond: new\n");
    let answers = async || (ask(&sidecar, "Hi").await == "new").then_some(());
    wait_until(answers, "the rules are not reloaded").await;
    put("rules:\n- respnd: broken\n");
    let logged = async || sidecar.log().contains("unknown key `respnd`").then_some(());
    wait_until(logged, "the error is not logged").await;
    assert_eq!(ask(&sidecar, "Hi").await, "new");
}

#[tokio::test]
async fn unused_rules_are_reported() {
    let rules = write_rules("rules:\n- respond: never\n");
    let folder = scratch("components");
    let echo = component("echo", "").replace("scripted", "echo");
    fs::write(folder.join("all.yaml"), echo).unwrap();
    let flags = ["--resources-path", folder.to_str().unwrap(), "--rules", rules.to_str().unwrap()];
    let sidecar = Sidecar::start_with(&flags);
    assert_eq!(ask(&sidecar, "Hi").await, "Hi");
    assert!(
        sidecar.log().contains("rules.yaml: no component uses these rules"),
        "{}",
        sidecar.log()
    );
}

#[test]
fn invalid_rules_fail_the_start() {
    let rules = write_rules("rules:\n- {respond: a, times: x}\n");
    let folder = rules.parent().unwrap().to_str().unwrap().to_owned();
    let output = run(&["--rules", rules.to_str().unwrap()]);
    assert_eq!(output.code, Some(1));
    assert_snapshot!(output.stderr.replace(&folder, "[folder]"), @r#"
    mynah: the configuration cannot be loaded:
      [folder]/rules.yaml:2:23: rule 1: times: must be a whole number of at least 1, not "x"
    "#);
    let output = run(&["--rules", &format!("{folder}/missing.yaml")]);
    assert_eq!(output.code, Some(1));
    assert_snapshot!(output.stderr.replace(&folder, "[folder]"), @"
    mynah: the configuration cannot be loaded:
      [folder]/missing.yaml: the rules file cannot be read: No such file or directory (os error 2)
    ");
}
