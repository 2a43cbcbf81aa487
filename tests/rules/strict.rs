//! Calls that fail because no rule and no chain answers.

use std::fs;

use mynah_needs::needs;
use tonic::Code;

use super::{ask, component, write_rules};
use crate::support::{
    Sidecar,
    messages::{assistant, request, user},
    process::run,
    scratch,
};

const RULES: &str = "rules:\n- {name: hello, match: {user: hello}, respond: Hi!}\n";
const CHAIN: &str = r#"<|instruction_start|>{"messages":[{"text":"chain"}]}<|instruction_end|>"#;

/// Returns the YAML of a component that is stood in for.
fn other(metadata: &str) -> String {
    component("echo", metadata).replace("scripted", "openai")
}

/// Starts a sidecar with a component, rules and these flags.
fn sidecar(component: &str, flags: &[&str]) -> Sidecar {
    let (folder, rules) = (scratch("strict"), write_rules(RULES));
    fs::write(folder.join("all.yaml"), component).unwrap();
    let resources = ["--resources-path", folder.to_str().unwrap()];
    let rules = ["--rules", rules.to_str().unwrap()];
    Sidecar::start_with(&[&resources[..], &rules, flags].concat())
}

async fn names_the_nearest_rule(sidecar: &Sidecar) {
    let error = ask(sidecar, "Bye").await;
    let nearest = r#"no rule matches; the nearest is rule "hello": user: expected a text that contains "hello"; the call has "Bye""#;
    assert!(error.starts_with("NotFound: ") && error.contains(nearest), "{error}");
}

#[tokio::test]
async fn strict_stand_ins_fail_if_nothing_answers() {
    let sidecar = sidecar(&other(""), &["--stand-in", "scripted", "--strict"]);
    assert_eq!(ask(&sidecar, "hello").await, "Hi!");
    assert_eq!(ask(&sidecar, CHAIN).await, "chain");
    names_the_nearest_rule(&sidecar).await;
    let twice = request([user(CHAIN), assistant("chain"), user("and then?")]);
    let exhausted = sidecar.converse(twice).await.unwrap_err();
    assert_eq!(exhausted.code(), Code::OutOfRange, "{exhausted}");
}

#[tokio::test]
async fn exhausted_chains_of_the_built_in_component_fail() {
    let rules = write_rules("rules:\n- {match: {user: turns}, chain: [one]}\n");
    let sidecar = Sidecar::start_with(&["--rules", rules.to_str().unwrap(), "--strict"]);
    assert_eq!(ask(&sidecar, "turns").await, "one");
    let twice = request([user("turns"), assistant("one")]);
    let exhausted = sidecar.converse(twice).await.unwrap_err();
    assert_eq!(exhausted.code(), Code::OutOfRange, "{exhausted}");
}

#[tokio::test]
async fn the_metadata_of_a_stand_in_sets_its_fallback() {
    let strict = other("{name: fallback, value: error}");
    for stand_in in ["scripted", "echo"] {
        let sidecar = sidecar(&strict, &["--stand-in", stand_in]);
        assert_eq!(ask(&sidecar, "hello").await, "Hi!");
        names_the_nearest_rule(&sidecar).await;
    }
    let lenient = other("{name: fallback, value: echo}");
    let sidecar = sidecar(&lenient, &["--stand-in", "scripted", "--strict"]);
    assert_eq!(ask(&sidecar, "Bye").await, "Bye");
}

#[tokio::test]
async fn the_built_in_and_scripted_components_can_be_strict() {
    let rules = write_rules(RULES);
    let built_in = Sidecar::start_with(&["--rules", rules.to_str().unwrap(), "--strict"]);
    assert_eq!(ask(&built_in, "hello").await, "Hi!");
    names_the_nearest_rule(&built_in).await;
    let scripted = sidecar(&component("echo", ""), &["--strict"]);
    names_the_nearest_rule(&scripted).await;
    let lenient = sidecar(&component("echo", "{name: fallback, value: echo}"), &["--strict"]);
    assert_eq!(ask(&lenient, "Bye").await, "Bye");
}

#[tokio::test]
async fn an_echo_that_follows_chains_can_be_strict() {
    let echo = component("echo", "{name: chains, value: true}").replace("scripted", "echo");
    let folder = scratch("strict");
    fs::write(folder.join("echo.yaml"), echo).unwrap();
    let flags = ["--resources-path", folder.to_str().unwrap(), "--strict"];
    let sidecar = Sidecar::start_with(&flags);
    assert_eq!(ask(&sidecar, CHAIN).await, "chain");
}

/// The exit code is that of the command, which sees the error.
#[needs("curl")]
#[test]
fn run_can_be_strict() {
    let rules = write_rules(RULES);
    let script = r#"for text in hello Bye; do
        curl -s -o /dev/null -w '%{http_code} ' "$DAPR_HTTP_ENDPOINT/v1.0-alpha2/conversation/echo/converse" \
            -d '{"inputs": [{"messages": [{"ofUser": {"content": [{"text": "'$text'"}]}}]}]}'
    done"#;
    let flags = ["run", "--rules", rules.to_str().unwrap(), "--strict", "--"];
    let output = run(&[&flags[..], &["sh", "-c", script]].concat());
    assert_eq!((output.stdout.as_str(), output.code), ("200 404 ", Some(0)), "{}", output.stderr);
    let output = run(&["run", "--strict", "--", "true"]);
    assert_eq!(output.code, Some(0), "rules of sessions may answer: {}", output.stderr);
}

#[test]
fn strict_without_scripts_is_an_error() {
    let output = run(&["--stand-in", "echo", "--strict"]);
    assert_ne!(output.code, Some(0));
    let expected = "--strict excludes --stand-in echo, which answers every call";
    assert!(output.stderr.contains(expected), "{}", output.stderr);
    let folder = scratch("strict-echo");
    fs::write(folder.join("echo.yaml"), component("echo", "").replace("scripted", "echo")).unwrap();
    let output = run(&["--strict", "--resources-path", folder.to_str().unwrap()]);
    assert_ne!(output.code, Some(0));
    let expected = "--strict has no effect, because no component follows rules";
    assert!(output.stderr.contains(expected), "{}", output.stderr);
}
