//! Tests of simulations in which models take part, judge and find intents.

use std::fs;

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::Value;

use super::{
    files::folder_with,
    play::{lines, play, play_in, results, with_agent},
};
use crate::support::{Sidecar, mynah, process::Process};

pub(super) const SCRIPTED: &str = "\
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

/// Everything that can be a component here can also be one behind a sidecar.
#[test]
fn models_behind_sidecars_judge_and_find_intents() {
    let sidecar = Sidecar::with_components(SCRIPTED);
    let remote = format!("sidecar: {{address: '{}', component: scripted}}", sidecar.grpc);
    let (before, scenarios) = SIMULATION.split_once("scenarios:").unwrap();
    let before = before.replace("component: scripted", &remote);
    let scenarios = scenarios
        .replace("    component: scripted\n", &format!("    {remote}\n"))
        .replace("intents: {component: scripted,", &format!("intents: {{{remote},"))
        .replace("nonsense", r#"```json\n{\"role\": \"customer\", \"description\": \"Ask\"}\n```"#);
    let simulation = format!("{before}scenarios:{scenarios}")
        .replace("address: \"ADDRESS\", component: echo", "address: \"ADDRESS\"")
        .replace("ADDRESS", &sidecar.grpc.to_string())
        .replace("CHAIN", "<|instruction_start|>")
        .replace("END", "<|instruction_end|>");
    let recorded = (0..4).map(|at| format!("r{at},customer,Hello {at},2026-05-01T09:00:00Z\n"));
    let recorded =
        ["conversation_id,sender,content,timestamp\n".to_owned()].into_iter().chain(recorded);
    let folder = folder_with(&[
        ("simulate.yaml", &simulation),
        ("scripted.yaml", SCRIPTED),
        ("recorded.csv", &recorded.collect::<String>()),
    ]);
    let output = play_in(&folder, &[]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let results = results(&folder);
    assert_eq!(results[0]["intents"][0]["description"], "Find it");
    assert_eq!(results[2]["intents"][0]["description"], "Ask");
    assert_eq!(results[2]["original"]["predicted_outcome"], "resolved");
    assert_snapshot!(results[..3].iter().map(lines).collect::<Vec<_>>().join("\n"), @r#"
    customer: Hi
    agent: Hi
    customer: Hi
    agent: Hi
    -- max_messages (resolved)
    customer: Hi
    -- timeout
    customer: Hello 0
    agent: {"role": 7}
    -- both_passed (resolved)
    "#);
    let report = fs::read_to_string(folder.join("out/report.json")).unwrap();
    assert!(report.contains("\"accuracy\""), "{report}");
}

#[test]
fn stand_ins_and_rules_play_as_in_serve() {
    let model =
        SCRIPTED.replace("scripted", "model").replace("conversation.model", "conversation.openai");
    let simulation = with_agent("component: model", "max_messages: 4\nresources: [model.yaml]");
    let rules = "rules: [{match: {user: one}, respond: first}, {respond: other}]\n";
    let files =
        [("simulate.yaml", simulation.as_str()), ("model.yaml", &model), ("rules.yaml", rules)];
    let folder = folder_with(&files);
    let output = play_in(&folder, &[]);
    assert_eq!(output.code, Some(1));
    // It has no options for real models.
    assert!(output.stderr.contains("or use --stand-in echo\n"), "{}", output.stderr);
    assert_eq!(play_in(&folder, &["--stand-in", "echo"]).code, Some(0));
    assert_snapshot!(lines(&results(&folder)[0]), @"
    customer: one
    agent: one
    customer: two
    agent: two
    -- max_messages
    ");
    // A run with other answers is another run.
    let scripted = ["--stand-in", "scripted", "--rules", "rules.yaml"];
    assert_eq!(play_in(&folder, &scripted).code, Some(1));
    assert_eq!(play_in(&folder, &[&scripted[..], &["--fresh"]].concat()).code, Some(0));
    assert_snapshot!(lines(&results(&folder)[0]), @"
    customer: one
    agent: first
    customer: two
    agent: other
    -- max_messages
    ");
    fs::write(folder.join("rules.yaml"), rules.replace("first", "one")).unwrap();
    assert_eq!(play_in(&folder, &scripted).code, Some(1));
    // Rules also apply to the built-in component.
    let builtin = with_agent("component: echo", "max_messages: 4");
    let folder = folder_with(&[("simulate.yaml", &builtin), ("rules.yaml", rules)]);
    assert_eq!(play_in(&folder, &["--rules", "rules.yaml"]).code, Some(0));
    assert_snapshot!(lines(&results(&folder)[0]), @"
    customer: one
    agent: first
    customer: two
    agent: other
    -- max_messages
    ");
    // Rules that nothing uses are probably a mistake.
    let echo = SCRIPTED.replace("scripted", "echo");
    let unused = with_agent("component: echo", "resources: [echo.yaml]");
    let files = [("simulate.yaml", unused.as_str()), ("echo.yaml", &echo), ("rules.yaml", rules)];
    let output = play_in(&folder_with(&files), &["--rules", "rules.yaml"]);
    assert!(output.stderr.contains("no component uses these rules"), "{}", output.stderr);
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

const DESK: &str = r#"
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: desk}
spec:
  type: conversation.scripted
  version: v1
  metadata:
  - name: tools
    value: |
      tools:
      - name: escalate
        static: [{result: by the component}]
      - name: find
        static: [{result: by the component}]
"#;

const WITH_TOOLS: &str = r#"
name: tools
resources: [desk.yaml]
outcomes: [{name: escalated, description: It is escalated}]
participants:
- name: agent
  role: agent
  component: desk
  TOOLS
  instructions: |
    <|instruction_start|>{"instruction_chain": [
      {"messages": [{"tool_call": [{"name": "find", "args": {}}, {"name": "escalate", "args": {}}]}]},
      {"messages": [{"text": "A colleague will help."}]}
    ]}<|instruction_end|>
detectors: [{outcome: escalated, match: {tool_called: escalate}}]
scenarios: [{id: s, customer: {echo: true}, agent: agent, repeat: 2, initial_message: {sender: customer, content: Hi}}]
max_messages: 2
"#;

#[test]
fn calls_of_a_components_tools_are_in_the_messages() {
    let simulation = WITH_TOOLS.replace("  TOOLS\n", "");
    let results = play(&simulation, &[("desk.yaml", DESK)]);
    let first = lines(&results[0]);
    assert_snapshot!(first, @r#"
    customer: Hi
    agent: A colleague will help. {"arguments":"{}","name":"find","result":"by the component"} {"arguments":"{}","name":"escalate","result":"by the component"}
    -- max_messages (escalated)
    "#);
    assert_eq!(lines(&results[1]), first);
}

#[test]
fn the_tools_of_a_participant_take_precedence_over_those_of_its_component() {
    let simulation = WITH_TOOLS.replace("TOOLS", "tools: tools.yaml");
    let tools = "tools: [{name: find, static: [{result: by the participant}]}]\n";
    let results = play(&simulation, &[("desk.yaml", DESK), ("tools.yaml", tools)]);
    assert_snapshot!(lines(&results[0]), @r#"
    customer: Hi
    agent: A colleague will help. {"arguments":"{}","name":"find","result":"by the participant"} {"arguments":"{}","name":"escalate","result":"by the component"}
    -- max_messages (escalated)
    "#);
}

/// If the detectors fail, the recorded outcome does not count as detected.
#[test]
fn failed_detectors_of_recorded_conversations_are_kept_apart() {
    let recorded = "conversation_id,sender,content,timestamp,outcome_name\n\
                    r,customer,Hello,2026-05-01T09:00:00Z,resolved\n";
    let error = r#"<|instruction_start|>{"messages": [{"error": {"code": "UNAVAILABLE", "message": "down"}}]}<|instruction_end|>"#;
    let simulation = format!(
        "name: a\nresources: [scripted.yaml]\ndetect: end\n\
         outcomes: [{{name: resolved, description: It is resolved}}]\n\
         detectors: [{{judge: {{component: scripted, instructions: '{error}'}}}}]\n\
         scenarios: [{{id: s, customer: {{replay: true}}, agent: {{echo: true}}, from: {{file: recorded.csv}}}}]\n"
    );
    let folder = folder_with(&[
        ("simulate.yaml", &simulation),
        ("scripted.yaml", SCRIPTED),
        ("recorded.csv", recorded),
    ]);
    assert_eq!(play_in(&folder, &[]).code, Some(0));
    let original = &results(&folder)[0]["original"];
    assert_eq!(original["predicted_outcome"], Value::Null);
    assert!(original["prediction_error"].as_str().unwrap().contains("down"), "{original}");
    let report = fs::read_to_string(folder.join("out/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let comparison = &report["outcome_comparison"];
    assert_eq!(comparison["original_distribution"]["total_conversations"], 1, "{comparison}");
    assert_eq!(
        comparison["original_with_predicted_outcomes"]["total_conversations"], 0,
        "{comparison}"
    );
}

/// Models that judge recorded conversations do not delay the end of a run.
#[test]
fn a_signal_interrupts_judges_of_recorded_conversations() {
    let recorded =
        "conversation_id,sender,content,timestamp\nr,customer,Hello,2026-05-01T09:00:00Z\n";
    let instructions = r#"<|instruction_start|>{"delay": "1h", "messages": [{"text": "none"}]}<|instruction_end|>"#;
    let simulation = format!(
        "name: a\nresources: [scripted.yaml]\nmessage_timeout: 1h\n\
         outcomes: [{{name: a, description: b}}]\n\
         detectors: [{{judge: {{component: scripted, instructions: '{instructions}'}}}}]\n\
         scenarios: [{{id: s, customer: {{replay: true}}, agent: {{echo: true}}, from: {{file: recorded.csv}}}}]\n"
    );
    let folder = folder_with(&[
        ("simulate.yaml", &simulation),
        ("scripted.yaml", SCRIPTED),
        ("recorded.csv", recorded),
    ]);
    let mut command = mynah();
    command.current_dir(&folder).args(["simulate", "simulate.yaml", "--out", "out"]);
    let process = Process::start(&mut command);
    process.signal_when_exists(&folder.join("out/results.jsonl"), Signal::TERM);
    let output = process.wait();
    assert!(output.stderr.contains("after 0 of 1 conversations"), "{}", output.stderr);
}
