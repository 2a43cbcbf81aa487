//! `mynah converse`.

mod input;
mod refusals;
mod tools;

use std::{fs, path::PathBuf, process::Command};

use insta::assert_snapshot;

use super::{report, without_ports};
use crate::support::{Sidecar, mynah, process::Process, scratch};

/// `mynah converse`, in the environment of a sidecar.
fn converse(sidecar: &Sidecar, args: &[&str]) -> Command {
    let mut command = mynah();
    command.env("DAPR_GRPC_PORT", sidecar.grpc.port().to_string());
    command.arg("converse").args(args);
    command
}

/// What a command says that has nothing to read.
fn said(command: &mut Command) -> String {
    without_ports(&report(&Process::start(command).wait()))
}

fn asked(sidecar: &Sidecar, args: &[&str]) -> String {
    said(&mut converse(sidecar, args))
}

fn file(text: &str) -> PathBuf {
    let file = scratch("history").join("history.json");
    fs::write(&file, text).unwrap();
    file
}

fn with_history(sidecar: &Sidecar, history: &str, args: &[&str]) -> String {
    let history = file(history);
    let folder = history.parent().unwrap().to_owned();
    let said = said(converse(sidecar, args).arg("--history").arg(history));
    super::without_folder(&said, &folder)
}

/// A component that repeats the whole history, as daprd's echo does.
const ALL: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: all
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
fn a_prompt() {
    assert_snapshot!(asked(&Sidecar::start(), &["Hello, mynah!"]), @"
    Hello, mynah!
    -- exit 0
    ");
}

#[test]
fn a_stream() {
    let sidecar = Sidecar::start();
    assert_snapshot!(asked(&sidecar, &["Hello, mynah!", "--stream"]), @"
    Hello, mynah!
    -- exit 0
    ");
    let weather = ["The weather in Paris?", "--stream"];
    assert_snapshot!(with_history(&sidecar, REQUEST, &weather), @r#"
    get_weather {"location":"Paris"}  (call_echo_1759090604835489990)
    -- exit 0
    "#);
}

#[test]
fn json() {
    let sidecar = Sidecar::start();
    assert_snapshot!(asked(&sidecar, &["Hello!", "--json", "--context-id=c-2", "--temperature=0.5"]), @r#"
    {"contextId":"c-2","outputs":[{"choices":[{"finishReason":"stop","message":{"content":"Hello!"}}],"model":"echo","usage":{"completionTokens":"1","promptTokens":"1","totalTokens":"2"}}]}
    -- exit 0
    "#);
    assert_snapshot!(asked(&sidecar, &["Hello, mynah!", "--json", "--stream"]), @r#"
    {"chunk":{"content":"Hello,"}}
    {"chunk":{"content":" mynah!"}}
    {"complete":{"outputs":[{"choices":[{"finishReason":"stop","message":{"content":"Hello, mynah!"}}],"model":"echo","usage":{"completionTokens":"3","promptTokens":"3","totalTokens":"6"}}]}}
    -- exit 0
    "#);
}

#[test]
fn a_request_with_tools() {
    let sidecar = Sidecar::start();
    let weather = "The weather in Paris?";
    assert_snapshot!(with_history(&sidecar, REQUEST, &[weather]), @r#"
    get_weather {"location":"Paris"}  (call_echo_1759090604835489990)
    -- exit 0
    "#);
    // The context is the request's, until a flag names another.
    let said = with_history(&sidecar, REQUEST, &["Hello!", "--json"]);
    assert!(said.contains(r#""contextId":"c-1""#), "{said}");
    let said = with_history(&sidecar, REQUEST, &["Hello!", "--json", "--context-id=c-2"]);
    assert!(said.contains(r#""contextId":"c-2""#), "{said}");
    assert_snapshot!(with_history(&sidecar, REQUEST, &[weather, "--component=nope"]), @"
    -- stderr
    mynah: the call to 127.0.0.1:[port] failed with InvalidArgument: failed finding conversation component nope
    -- exit 1
    ");
}

#[test]
fn the_system_prompt_then_the_history_then_the_prompt() {
    let sidecar = Sidecar::with_components(ALL);
    let args = ["And tomorrow?", "--system", "Be brief."];
    assert_snapshot!(with_history(&sidecar, HISTORY, &args), @r#"
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
fn a_history_needs_no_prompt() {
    assert_snapshot!(with_history(&Sidecar::start(), HISTORY, &[]), @"
    Sunny, 18 degrees
    -- exit 0
    ");
}

#[test]
fn an_answer_without_words() {
    let empty = r#"[{"ofUser": {}}]"#;
    assert_snapshot!(with_history(&Sidecar::start(), empty, &[]), @"
    -- stderr
    mynah: the answer is empty
    -- exit 0
    ");
}

/// tonic's own limit is as low as that of a sidecar's requests.
#[test]
fn a_long_answer() {
    let sidecar = Sidecar::start_with(&["--max-body-size=16Mi"]);
    let prompt = "x".repeat(4 << 20);
    let ended = Process::start_with_input(&mut converse(&sidecar, &[]), &prompt).wait();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert_eq!(ended.stdout.trim_end().len(), prompt.len());
}

#[test]
fn a_stream_is_printed_as_it_arrives_and_ends_with_a_signal() {
    let sidecar = slow_sidecar();
    let process = Process::start(&mut converse(&sidecar, &["Hello, mynah!", "--stream"]));
    process.wait_for_stdout("Hello,");
    assert_snapshot!(report(&process.terminate()), @"
    Hello,
    -- ended by a signal
    ");
}

#[test]
fn a_sidecar_that_goes_away() {
    let sidecar = slow_sidecar();
    let process = Process::start(&mut converse(&sidecar, &["Hello, mynah!", "--stream"]));
    process.wait_for_stdout("Hello,");
    drop(sidecar);
    let ended = process.wait();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), "Hello,\n"));
    // The rest is the system's to say.
    assert!(ended.stderr.starts_with("mynah: the call to 127.0.0.1:"), "{}", ended.stderr);
}

/// One that waits after the first word.
fn slow_sidecar() -> Sidecar {
    let slow = ALL.replace("name: mode", "name: chunkDelay").replace("value: daprd", "value: 1h");
    Sidecar::with_components(&slow)
}

/// The last message holds everything once more, which is too long here.
#[test]
fn a_stream_that_fails_at_its_end() {
    let model = "a-model-of-a-name-that-is-longer-than-all-that-was-asked-of-it-in-the-first-place";
    let named = ALL.replace("name: mode", "name: model").replace("daprd", model);
    let folder = super::folder(&[("named.yaml", &named)]);
    let flags = ["--max-body-size=100", "--resources-path", folder.to_str().unwrap()];
    let sidecar = Sidecar::start_with(&flags);
    assert_snapshot!(asked(&sidecar, &["Hello, mynah!", "--component=all", "--stream"]), @"
    Hello, mynah!
    -- stderr
    mynah: the call to 127.0.0.1:[port] failed with ResourceExhausted: grpc: trying to send message larger than max (120 vs. 100)
    -- exit 1
    ");
}

#[test]
fn nobody_reads_the_answer() {
    let sidecar = Sidecar::start();
    for flags in [&["Hello!"][..], &["Hello!", "--json"], &["Hello!", "--stream"]] {
        let ended = Process::start_with_closed_output(&mut converse(&sidecar, flags)).wait();
        assert_eq!(ended.code, Some(0), "{flags:?}");
    }
}
