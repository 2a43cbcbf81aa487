//! Tests that the parser and the JSON Schema accept the same files.

use mynah_core::base::{json_schema::Schema, yaml};
use serde_json::Value;

use super::{SimulateFile, schema};

/// A file with one scenario, and these keys.
fn with(keys: &str) -> String {
    format!("name: a\nscenarios: [{SCENARIO}]\n{keys}")
}

/// A file with a participant that has these keys.
fn participant(keys: &str) -> String {
    with(&format!("participants: [{{name: a, role: agent, {keys}}}]"))
}

/// A file with one scenario that has these keys.
fn scenario(keys: &str) -> String {
    format!("name: a\nscenarios: [{{id: s, customer: a, agent: b, {keys}}}]")
}

const SCENARIO: &str =
    "{id: s, customer: a, agent: b, initial_message: {sender: customer, content: Hi}}";
const MESSAGE: &str = "initial_message: {sender: customer, content: Hi}";

const KEYS: &[&str] = &[
    "",
    "$schema: simulate.schema.json",
    "resources: [./components, a.yaml]",
    "in_flight: 1",
    "max_messages: 0",
    "max_messages_after_outcome: 0",
    "message_timeout: 1m30s",
    "detect: each",
    "detect: end",
    "base_timestamp: 2026-05-01T09:00:00Z",
    "base_timestamp: now",
    "outcomes: [{name: a, description: b}]",
    "detectors: [{outcome: a, match: {tool_called: f}}]",
    "detectors: [{outcome: a, match: {sender: customer, content: {contains: thanks, ignore_case: true}}}]",
    "detectors: [{outcome: a, match: {any: [{sender: agent}, {not: {content: a}}], all: [{content: b}]}}]",
    "detectors: [{judge: {component: judge, instructions: Be strict}}]",
    "end_on: {timeout: 5m, patterns: ['(?i)\\bgoodbye\\b'], goal: {component: judge}, judge: {component: judge}}",
    "adversarial: {component: judge}",
];

const PARTICIPANTS: &[&str] = &[
    "script: []",
    "script: [pass, {text: Hi}, {text: Hi, delay: 2s}]",
    "echo: true, typing: {per_character: 30ms}",
    "component: support, persona: brief, system: You help, instructions: chain, tools: a.yaml, retries: 2",
    "component: support, examples: {from: a.csv, number: 2}",
    "sidecar: {address: 'http://127.0.0.1:50001', component: llm}",
    "sidecar: {address: 127.0.0.1:50001}, retries: 1",
    "http: {url: 'http://127.0.0.1:8001/chat'}, retries: 1",
    "http: {url: 'http://a/{{ conversation.id }}', method: PUT, headers: [{name: a, envRef: B}], body: {a: ['{{ last.content }}']}, reply: /reply, allow: ['a:80']}",
    "http: {url: 'http://a', reply: /r, poll: {url: /status_url, state: /s, done: {equals: d}, failed: f, interval: 1s}}",
    "command: [python3, agent.py]",
    "replay: true",
];

const SCENARIOS: &[&str] = &[
    "initial_message: {sender: agent, content: Hi}, repeat: 100",
    "initial_message: {sender: agent, content: Hi}, intents: [{role: customer, description: c}]",
    "initial_message: {sender: agent, content: Hi}, infer_intent: {component: c}",
    "initial_message: {sender: agent, content: Hi}, infer_intent: c",
    "from: {file: a.csv}",
    "from: {file: a.txt, format: json, intents: {component: c}}, repeat: 2",
];

const WRONG_KEYS: &[&str] = &[
    "in_flight: 0",
    "in_flight: many",
    "max_messages: -1",
    "message_timeout: -1s",
    "message_timeout: 30",
    "detect: always",
    "outcomes: [{name: a}]",
    "outcomes: [{name: a, description: b, color: red}]",
    "detectors: [{outcome: a}]",
    "detectors: [{outcome: a, match: {}}]",
    "detectors: [{outcome: a, match: {any: []}}]",
    "detectors: [{outcome: a, match: {sender: bot}}]",
    "detectors: [{outcome: a, match: {sender: agent}, judge: {component: b}}]",
    "detectors: [{judge: {}}]",
    "end_on: {timeout: soon}",
    "end_on: {pattern: a}",
    "retries: 1",
];

const WRONG_PARTICIPANTS: &[&str] = &[
    "typing: {per_character: 30ms}",
    "script: [], echo: true",
    "echo: false",
    "script: [go]",
    "script: [{txt: Hi}]",
    "script: [{text: Hi, delay: 2}]",
    "echo: true, typing: {}",
    "sidecar: {component: llm}",
    "http: {url: 'ftp://a'}, reply: /a",
    "http: {url: 'http://a', reply: reply}",
    "http: {url: 'http://a', poll: {}}",
    "command: []",
    "command: date",
    "component: a, retries: 11",
    "component: a, examples: {from: a, number: 0}",
    "component: a, typing: {per_character: fast}",
];

const WRONG_SCENARIOS: &[&str] = &[
    "repeat: 2",
    "initial_message: {sender: customer, content: Hi}, from: {file: a.csv}",
    "initial_message: {sender: customer}",
    "initial_message: {sender: customer, content: Hi}, repeat: 0",
    "from: {file: a.csv, format: xml}",
    "from: {file: a.csv}, intents: [{role: customer}]",
];

fn parse(text: &str) -> Result<SimulateFile, String> {
    yaml::from_str(text).map_err(|errors| errors[0].message.clone())
}

fn is_valid(text: &str) -> bool {
    let value: Value = yaml::from_str(text).unwrap();
    Schema::compile(&schema()).unwrap().is_valid(&value)
}

fn texts(keys: &[&str], participants: &[&str], scenarios: &[&str]) -> Vec<String> {
    let inline = participants.iter().map(|keys| {
        let other = format!("{{id: s, customer: {{{keys}}}, agent: b, {MESSAGE}}}");
        format!("name: a\nscenarios: [{other}]")
    });
    let inline: Vec<_> = inline.filter(|text| !text.contains("replay")).collect();
    let named = participants.iter().map(|keys| participant(keys));
    let all = keys.iter().map(|keys| with(keys)).chain(named);
    all.chain(scenarios.iter().map(|keys| scenario(keys))).chain(inline).collect()
}

#[test]
fn accepts_valid_files() {
    let texts = texts(KEYS, PARTICIPANTS, SCENARIOS);
    let rejected = texts.iter().filter(|text| parse(text).is_err() || !is_valid(text));
    assert_eq!(rejected.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn rejects_invalid_files() {
    let mut texts = texts(WRONG_KEYS, WRONG_PARTICIPANTS, WRONG_SCENARIOS);
    let named = SCENARIO.replace("customer: a", "customer: {name: c, echo: true}");
    texts.push(format!("name: a\nscenarios: [{named}]"));
    texts.extend(["{}", "name: a", "scenarios: []", "name: a\nscenarios: {}"].map(str::to_owned));
    let accepted = texts.iter().filter(|text| parse(text).is_ok() || is_valid(text));
    assert_eq!(accepted.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// The schema does not know which keys need a model, because its messages would be hard to read.
#[test]
fn keys_of_models_need_a_model() {
    for (keys, expected) in [
        ("script: [], persona: a", "persona needs a component or a sidecar"),
        ("echo: true, tools: a", "tools needs a component or a sidecar"),
        ("command: [a], retries: 1", "retries needs a component, a sidecar or http"),
    ] {
        let error = parse(&participant(keys)).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
