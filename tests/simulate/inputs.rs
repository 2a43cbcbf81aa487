//! Tests of the inputs of a run: a run with other inputs is not continued.

use std::fs;

use super::{
    files::folder_with,
    play::{play_with_environment, with_agent},
};

/// Plays a simulation, then changes an input, and plays it again.
fn plays_after_a_change(simulation: &str, files: &[(&str, &str)], changed: &str) -> bool {
    let folder = folder_with(&[&[("simulate.yaml", simulation)], files].concat());
    let play = |token: &str| play_with_environment(&folder, &[("AGENT_TOKEN", token)]);
    let first = play("one");
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert_eq!(play("one").code, Some(0), "{changed}");
    let token = if changed == "AGENT_TOKEN" { "two" } else { "one" };
    if changed != "AGENT_TOKEN" {
        let file = folder.join(changed);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("one", "two")).unwrap();
    }
    let second = play(token);
    let is_refused = second.stderr.contains("the simulate file or its inputs have changed");
    assert_eq!(is_refused, second.code == Some(1), "{}", second.stderr);
    !is_refused
}

#[test]
fn the_scripts_of_commands_are_inputs() {
    let participant = with_agent("command: [sh, agent.sh]", "");
    let script = "while read -r line; do echo '\"one\"'; done";
    assert!(!plays_after_a_change(&participant, &[("agent.sh", script)], "agent.sh"));
    let tool = with_agent("component: echo, tools: tools.yaml", "");
    let tools = "tools: [{name: f, command: [sh, tool.sh]}]";
    let files = [("tools.yaml", tools), ("tool.sh", "echo one"), ("other.sh", "echo one")];
    assert!(!plays_after_a_change(&tool, &files, "tool.sh"));
    assert!(plays_after_a_change(&tool, &files, "other.sh"));
}

const COMPONENT: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: agent}
spec:
  type: conversation.echo
  version: v1
  metadata:
  - {name: model, VALUE}
auth: {secretStore: secrets}
---
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: secrets}
spec:
  type: secretstores.local.file
  version: v1
  metadata:
  - {name: secretsFile, value: secrets.json}
";

#[test]
fn the_values_of_variables_and_secrets_are_inputs() {
    let simulation = with_agent("component: agent", "resources: [agent.yaml]");
    let variable = COMPONENT.replace("VALUE", "envRef: AGENT_TOKEN");
    let secret = COMPONENT.replace("VALUE", "secretKeyRef: {name: key, key: key}");
    let files = |component| [("agent.yaml", component), ("secrets.json", r#"{"key": "one"}"#)];
    assert!(!plays_after_a_change(&simulation, &files(&variable), "AGENT_TOKEN"));
    assert!(plays_after_a_change(&simulation, &files(&variable), "secrets.json"));
    assert!(!plays_after_a_change(&simulation, &files(&secret), "secrets.json"));
    assert!(plays_after_a_change(&simulation, &files(&secret), "AGENT_TOKEN"));
}
