//! Tests of simulations in which models take part, judge and find intents.

use std::fs;

use insta::assert_snapshot;

use super::{
    files::folder_with,
    play::{lines, play, play_in, results, with_agent},
};
use crate::support::Sidecar;

const SCRIPTED: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: scripted}
spec: {type: conversation.scripted, version: v1}
";

const SIMULATION: &str = r#"
name: models
resources: [scripted.yaml]
max_messages: 4
outcomes: [{name: resolved, description: It is resolved}]
participants:
- {name: c, role: customer, echo: true, typing: {per_character: 10ms}}
- {name: remote, role: agent, sidecar: {address: "ADDRESS", component: echo}, retries: 1}
- {name: slow, role: agent, script: [{text: ok, delay: 10m}]}
detectors:
- judge: {component: scripted, instructions: 'CHAIN{"messages": [{"text": "resolved"}]}END'}
end_on:
  timeout: 5m
  goal: {component: scripted, instructions: 'CHAIN{"messages": [{"text": "no"}]}END'}
adversarial: {component: scripted, instructions: 'CHAIN{"messages": [{"text": "A"}]}END'}
scenarios:
- id: remote
  customer: c
  agent: remote
  initial_message: {sender: customer, content: Hi}
  infer_intent:
    component: scripted
    instructions: 'CHAIN{"messages": [{"text": "{\"role\": \"customer\", \"description\": \"Find it\"}"}]}END'
- {id: slow, customer: c, agent: slow, initial_message: {sender: customer, content: Hi}}
- id: recorded
  customer: {replay: true}
  agent: {component: scripted, instructions: 'CHAIN{"messages": [{"text": "{\"role\": 7}"}]}END'}
  from:
    file: recorded.csv
    intents: {component: scripted, instructions: 'CHAIN{"messages": [{"text": "nonsense"}]}END'}
"#;

#[test]
fn models_play_judge_and_find_intents() {
    let sidecar = Sidecar::start();
    let recorded =
        "conversation_id,sender,content,timestamp\nr,customer,Hello,2026-05-01T09:00:00Z\n";
    let simulation = SIMULATION
        .replace("ADDRESS", &sidecar.grpc.to_string())
        .replace("CHAIN", "<|instruction_start|>")
        .replace("END", "<|instruction_end|>");
    let folder = folder_with(&[
        ("simulate.yaml", &simulation),
        ("scripted.yaml", SCRIPTED),
        ("recorded.csv", recorded),
    ]);
    let output = play_in(&folder, &[]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let results = results(&folder);
    assert_eq!(results[0]["intents"][0]["description"], "Find it");
    assert_eq!(results[2]["original"]["predicted_outcome"], "resolved");
    assert_snapshot!(results.iter().map(lines).collect::<Vec<_>>().join("\n"), @r#"
    customer: Hi
    agent: Hi
    customer: Hi
    agent: Hi
    -- max_messages (resolved)
    customer: Hi
    -- timeout
    -- detector_error: the model that infers the intent answered "nonsense"; expected a JSON object with role and description, or none
    "#);
    let report = fs::read_to_string(folder.join("out/report.json")).unwrap();
    assert!(report.contains("\"skipped\""), "{report}");
}

#[test]
fn the_time_of_judges_is_limited() {
    let keys = r#"message_timeout: 100ms
resources: [scripted.yaml]
outcomes: [{name: resolved, description: It is resolved}]
detectors:
- judge:
    component: scripted
    instructions: '<|instruction_start|>{"delay": "10m"}<|instruction_end|>'"#;
    let simulation = with_agent("script: [{text: ok}]", keys);
    let results = play(&simulation, &[("scripted.yaml", SCRIPTED)]);
    assert_snapshot!(lines(&results[0]), @r"
    customer: one
    agent: ok
    -- detector_error: the judge did not answer within 100ms
    ");
}

/// Passes are part of conversations, and not worth a line in the log.
#[test]
fn exhausted_chains_are_not_logged() {
    let agent = r#"component: scripted, instructions: '<|instruction_start|>{"messages": [{"text": "ok"}]}<|instruction_end|>'"#;
    let simulation = with_agent(agent, "resources: [scripted.yaml]");
    let folder = folder_with(&[("simulate.yaml", &simulation), ("scripted.yaml", SCRIPTED)]);
    let output = play_in(&folder, &[]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert_eq!(results(&folder)[0]["end_reason"], "both_passed");
    assert!(!output.stderr.contains("exhausted"), "{}", output.stderr);
}

#[test]
fn a_missing_sidecar_is_reported_at_the_start() {
    let port = crate::support::ports::ReservedPort::new();
    let simulation = format!(
        "name: a\nscenarios: [{{id: s, customer: {{echo: true}}, agent: {{sidecar: {{address: \
         \"127.0.0.1:{0}\", component: echo}}}}, initial_message: {{sender: customer, content: Hi}}}}]\n",
        port.number
    );
    let folder = folder_with(&[("simulate.yaml", &simulation)]);
    let output = play_in(&folder, &[]);
    assert_eq!(output.code, Some(1));
    let expected = format!("mynah: cannot start: nothing listens at 127.0.0.1:{}", port.number);
    assert!(output.stderr.starts_with(&expected), "{}", output.stderr);
}
