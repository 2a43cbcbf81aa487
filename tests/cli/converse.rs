//! Tests of `mynah converse`.

mod input;
mod connection;
mod tools;

use std::{fs, path::PathBuf, process::Command};

use insta::assert_snapshot;

use super::{redact_ports, report};
use crate::support::{Sidecar, mynah, process::Process, scratch};

/// Returns the command `mynah converse` with the address of a sidecar.
fn converse(sidecar: &Sidecar, args: &[&str]) -> Command {
    let mut command = mynah();
    command.env("DAPR_GRPC_PORT", sidecar.grpc.port().to_string());
    command.arg("converse").args(args);
    command
}

/// Runs a command without stdin.
fn run(command: &mut Command) -> String {
    redact_ports(&report(&Process::start(command).wait()))
}

/// Runs `mynah converse` without stdin.
fn run_converse(sidecar: &Sidecar, args: &[&str]) -> String {
    run(&mut converse(sidecar, args))
}

fn history_file(text: &str) -> PathBuf {
    let file = scratch("history").join("history.json");
    fs::write(&file, text).unwrap();
    file
}

fn run_with_history(sidecar: &Sidecar, history: &str, args: &[&str]) -> String {
    let history = history_file(history);
    let folder = history.parent().unwrap().to_owned();
    let report = run(converse(sidecar, args).arg("--history").arg(history));
    super::redact_folder(&report, &folder)
}

/// A component that repeats the whole history, as daprd's echo does.
const REPEAT_ALL: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: repeat-all
spec:
  type: conversation.echo
  version: v1
  metadata:
  - name: mode
    value: daprd
";

const HISTORY: &str = r#"[
  {"ofUser": {"content": [{"text": "What is the weather in Paris?"}]}},
  {"ofAssistant": {"toolCalls": [
    {"id": "1", "function": {"name": "get_weather", "arguments": "{\n\"city\": \"Paris\"}"}},
    {"function": {"name": "get_time", "arguments": "{}"}}
  ]}},
  {"ofTool": {"toolId": "1", "name": "get_weather", "content": [{"text": "Sunny, 18 degrees"}]}}
]"#;

const REQUEST: &str = r#"{
  "name": "echo",
  "context_id": "c-1",
  "tools": [{"function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"location": {"type": "string"}}
  }}}]
}"#;

#[test]
fn prints_answer() {
    assert_snapshot!(run_converse(&Sidecar::start(), &["Hello, mynah!"]), @"
    Hello, mynah!
    -- exit 0
    ");
}

#[test]
fn prints_stream() {
    let sidecar = Sidecar::start();
    assert_snapshot!(run_converse(&sidecar, &["Hello, mynah!", "--stream"]), @"
    Hello, mynah!
    -- exit 0
    ");
    let weather = ["The weather in Paris?", "--stream"];
    assert_snapshot!(run_with_history(&sidecar, REQUEST, &weather), @r#"
    get_weather {"location":"Paris"}  (call_echo_1759090604835489990)
    -- exit 0
    "#);
}

#[test]
fn prints_json() {
    let sidecar = Sidecar::start();
    assert_snapshot!(run_converse(&sidecar, &["Hello!", "--json", "--context-id=c-2", "--temperature=0.5"]), @r#"
    {"contextId":"c-2","outputs":[{"choices":[{"finishReason":"stop","message":{"content":"Hello!"}}],"model":"echo","usage":{"completionTokens":"1","promptTokens":"1","totalTokens":"2"}}]}
    -- exit 0
    "#);
    assert_snapshot!(run_converse(&sidecar, &["Hello, mynah!", "--json", "--stream"]), @r#"
    {"chunk":{"content":"Hello,"}}
    {"chunk":{"content":" mynah!"}}
    {"complete":{"outputs":[{"choices":[{"finishReason":"stop","message":{"content":"Hello, mynah!"}}],"model":"echo","usage":{"completionTokens":"3","promptTokens":"3","totalTokens":"6"}}]}}
    -- exit 0
    "#);
}

#[test]
fn history_can_be_a_request() {
    let sidecar = Sidecar::start();
    let weather = "The weather in Paris?";
    assert_snapshot!(run_with_history(&sidecar, REQUEST, &[weather]), @r#"
    get_weather {"location":"Paris"}  (call_echo_1759090604835489990)
    -- exit 0
    "#);
    // Flags override fields of the request.
    let report = run_with_history(&sidecar, REQUEST, &["Hello!", "--json"]);
    assert!(report.contains(r#""contextId":"c-1""#), "{report}");
    let report = run_with_history(&sidecar, REQUEST, &["Hello!", "--json", "--context-id=c-2"]);
    assert!(report.contains(r#""contextId":"c-2""#), "{report}");
    assert_snapshot!(run_with_history(&sidecar, REQUEST, &[weather, "--component=nope"]), @"
    -- stderr
    mynah: the call to 127.0.0.1:[port] failed with InvalidArgument: failed finding conversation component nope
    -- exit 1
    ");
}

#[test]
fn sends_system_prompt_history_and_prompt_in_order() {
    let sidecar = Sidecar::with_components(REPEAT_ALL);
    let args = ["And tomorrow?", "--system", "Be brief."];
    assert_snapshot!(run_with_history(&sidecar, HISTORY, &args), @r#"
    Be brief.
    What is the weather in Paris?
    Tool Response for tool ID '1' with name 'get_weather': Sunny, 18 degrees
    And tomorrow?
    get_weather { "city": "Paris"}  (1)
    get_time {}
    -- exit 0
    "#);
}

#[test]
fn history_without_prompt() {
    assert_snapshot!(run_with_history(&Sidecar::start(), HISTORY, &[]), @"
    Sunny, 18 degrees
    -- exit 0
    ");
}

#[test]
fn notes_empty_answer() {
    let empty = r#"[{"ofUser": {}}]"#;
    assert_snapshot!(run_with_history(&Sidecar::start(), empty, &[]), @"
    -- stderr
    mynah: the answer is empty
    -- exit 0
    ");
}

/// tonic's default limit is 4 MiB.
#[test]
fn accepts_long_answer() {
    let sidecar = Sidecar::start_with(&["--max-body-size=16Mi"]);
    let prompt = "x".repeat(4 << 20);
    let output = Process::start_with_input(&mut converse(&sidecar, &[]), &prompt).wait();
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert_eq!(output.stdout.trim_end().len(), prompt.len());
}

#[test]
fn prints_stream_as_it_arrives_until_signal() {
    let sidecar = slow_sidecar();
    let process = Process::start(&mut converse(&sidecar, &["Hello, mynah!", "--stream"]));
    process.wait_for_stdout("Hello,");
    assert_snapshot!(report(&process.terminate()), @"
    Hello,
    -- ended by a signal
    ");
}

#[test]
fn sidecar_that_dies_during_stream() {
    let sidecar = slow_sidecar();
    let process = Process::start(&mut converse(&sidecar, &["Hello, mynah!", "--stream"]));
    process.wait_for_stdout("Hello,");
    drop(sidecar);
    let output = process.wait();
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), "Hello,\n"));
    // The rest of the message depends on the operating system.
    assert!(output.stderr.starts_with("mynah: the call to 127.0.0.1:"), "{}", output.stderr);
}

/// Starts a sidecar that pauses after the first chunk.
fn slow_sidecar() -> Sidecar {
    let slow =
        REPEAT_ALL.replace("name: mode", "name: chunkDelay").replace("value: daprd", "value: 1h");
    Sidecar::with_components(&slow)
}

/// The last message repeats the whole text, which exceeds the sidecar's limit.
#[test]
fn stream_that_fails_at_its_end() {
    let model = "a-model-of-a-name-that-is-longer-than-all-that-was-asked-of-it-in-the-first-place";
    let named = REPEAT_ALL.replace("name: mode", "name: model").replace("daprd", model);
    let folder = super::write_folder(&[("named.yaml", &named)]);
    let flags = ["--max-body-size=100", "--resources-path", folder.to_str().unwrap()];
    let sidecar = Sidecar::start_with(&flags);
    assert_snapshot!(run_converse(&sidecar, &["Hello, mynah!", "--component=repeat-all", "--stream"]), @"
    Hello, mynah!
    -- stderr
    mynah: the call to 127.0.0.1:[port] failed with ResourceExhausted: grpc: trying to send message larger than max (120 vs. 100)
    -- exit 1
    ");
}

#[test]
fn ignores_closed_stdout() {
    let sidecar = Sidecar::start();
    for flags in [&["Hello!"][..], &["Hello!", "--json"], &["Hello!", "--stream"]] {
        let output = Process::start_with_closed_output(&mut converse(&sidecar, flags)).wait();
        assert_eq!(output.code, Some(0), "{flags:?}");
    }
}
