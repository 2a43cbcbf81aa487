//! Tests of prompts from stdin and of history files.

use std::process::Command;

use insta::{allow_duplicates, assert_snapshot};

use super::{HISTORY, converse, run_with_history};
use crate::{
    cli::{redact_ports, report},
    support::{Sidecar, mynah, process::Process, scratch},
};

/// Runs `mynah converse` with this input on stdin.
fn run_with_stdin(sidecar: &Sidecar, input: impl AsRef<[u8]>, args: &[&str]) -> String {
    let process = Process::start_with_input(&mut converse(sidecar, args), input);
    redact_ports(&report(&process.wait()))
}

#[test]
fn reads_prompt_from_stdin() {
    let sidecar = Sidecar::start();
    allow_duplicates! {
        for (input, args) in [("Hello,\n mynah!\n", &[][..]), ("Hello,\n mynah!\r\n", &["-"])] {
            assert_snapshot!(run_with_stdin(&sidecar, input, args), @"
            Hello,
             mynah!
            -- exit 0
            ");
        }
    }
}

#[test]
fn strips_only_last_line_break_of_stdin() {
    let report = run_with_stdin(&Sidecar::start(), "Hello!\n\n", &["--json"]);
    assert!(report.contains(r#""content":"Hello!\n""#), "{report}");
}

#[test]
fn prompt_overrides_stdin() {
    assert_snapshot!(run_with_stdin(&Sidecar::start(), "not this", &["this"]), @"
    this
    -- exit 0
    ");
}

#[test]
fn requires_prompt() {
    let sidecar = Sidecar::start();
    allow_duplicates! {
        for (input, args) in [("", &[][..]), ("\n", &[]), ("", &["-"]), ("Hello!", &[""])] {
            assert_snapshot!(run_with_stdin(&sidecar, input, args), @"
            -- stderr
            mynah: no prompt; pass one, such as mynah converse 'Hello, mynah!', or write it to stdin
            -- exit 64
            ");
        }
    }
}

#[test]
fn rejects_stdin_that_is_not_utf8() {
    assert_snapshot!(run_with_stdin(&Sidecar::start(), b"Hello,\nmyn\xe4h!", &[]), @"
    -- stderr
    mynah: standard input:2:4: not valid UTF-8
    -- exit 1
    ");
}

#[test]
fn rejects_endless_stdin() {
    let mut endless = mynah();
    endless.arg("converse");
    let process = Process::start_with_input(&mut endless, vec![b'x'; (4 << 20) + 1]);
    assert_snapshot!(report(&process.wait()), @"
    -- stderr
    mynah: standard input: cannot be read: larger than 4 MiB
    -- exit 1
    ");
}

#[test]
fn reports_place_in_invalid_history() {
    let sidecar = Sidecar::start();
    let error = |history: &str| run_with_history(&sidecar, history, &["Hello!"]);
    assert_snapshot!(error(HISTORY.strip_suffix("}}\n]").unwrap()), @"
    -- stderr
    mynah: [folder]/history.json:7:94: not valid JSON: EOF while parsing an object
    -- exit 1
    ");
    assert_snapshot!(error("[\n {\"role\": \"user\", \"content\": \"Hello!\"}\n]"), @r#"
    -- stderr
    mynah: [folder]/history.json:2:8: unrecognized field name 'role'; a message looks like {"ofUser": {"content": [{"text": "Hello!"}]}}
    -- exit 1
    "#);
    assert_snapshot!(error(r#"{"inputs": [{"messages": [{"ofUser": {"content": "Hello!"}}]}]}"#), @r#"
    -- stderr
    mynah: [folder]/history.json:1:57: invalid type: string "Hello!", expected a list
    -- exit 1
    "#);
    assert_snapshot!(error(r#""Hello!""#), @r#"
    -- stderr
    mynah: [folder]/history.json:1:8: invalid type: string "Hello!", expected a list of messages or a request
    -- exit 1
    "#);
    assert_snapshot!(error("{\"end\": \"answered\",\n \"messages\": [{\"role\": \"user\"}]}"), @r#"
    -- stderr
    mynah: [folder]/history.json:2:21: unrecognized field name 'role'; a message looks like {"ofUser": {"content": [{"text": "Hello!"}]}}
    -- exit 1
    "#);
    assert_snapshot!(error("{\"end\": \"answered\", \"messages\": ["), @"
    -- stderr
    mynah: [folder]/history.json:1:33: not valid JSON: EOF while parsing a list
    -- exit 1
    ");
    assert_snapshot!(error("[] []"), @"
    -- stderr
    mynah: [folder]/history.json:1:4: not valid JSON: trailing characters
    -- exit 1
    ");
    assert_snapshot!(error(""), @"
    -- stderr
    mynah: [folder]/history.json:1:1: not valid JSON: EOF while parsing a value
    -- exit 1
    ");
}

#[test]
fn rejects_deeply_nested_history() {
    let deep =
        format!(r#"{{"responseFormat": {}}}"#, r#"{"a":"#.repeat(200) + "1" + &"}".repeat(200));
    assert_snapshot!(run_with_history(&Sidecar::start(), &deep, &["Hello!"]), @"
    -- stderr
    mynah: [folder]/history.json:1:650: not valid JSON: recursion limit exceeded
    -- exit 1
    ");
}

#[test]
fn reports_missing_history() {
    let mut command = mynah();
    command.args(["converse", "--history", "target/nothing.json"]);
    assert_snapshot!(report(&Process::start(&mut command).wait()), @"
    -- stderr
    mynah: target/nothing.json: cannot be read: No such file or directory (os error 2)
    -- exit 1
    ");
}

/// For `--history <(…)`, shells pass a pipe.
#[test]
fn reads_history_from_pipe() {
    let sidecar = Sidecar::start();
    let script = format!(
        "mkfifo pipe && (printf '%s' '{}' > pipe &) && \"$MYNAH\" converse --history pipe Why?",
        r#"[{"ofUser": {"content": [{"text": "Is it raining?"}]}}]"#
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(scratch("pipe"));
    shell.env("MYNAH", mynah().get_program());
    shell.env("DAPR_GRPC_PORT", sidecar.grpc.port().to_string());
    shell.env_remove("DAPR_GRPC_ENDPOINT").env_remove("DAPR_API_TOKEN");
    assert_snapshot!(report(&Process::start(&mut shell).wait()), @"
    Why?
    -- exit 0
    ");
}

#[test]
fn requires_prompt_if_history_is_empty() {
    assert_snapshot!(run_with_history(&Sidecar::start(), "[]", &[]), @"
    -- stderr
    mynah: no prompt; pass one, such as mynah converse 'Hello, mynah!', or write it to stdin
    -- exit 64
    ");
}
