//! Tests of interactive sessions at a terminal.

use std::{path::Path, process::Command};

use insta::assert_snapshot;
use mynah_needs::needs;
use serde_json::{Value, json};

use super::{WEATHER, tools_file};
use crate::{
    cli::{converse::history_file, redact_ports, report},
    support::{Sidecar, mynah, process::Process},
};

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

/// Runs `mynah converse` at a terminal and types what the steps say. Replaces escape characters
/// with `^[`.
fn run_at_terminal(sidecar: &Sidecar, args: &[&str], steps: &[Value]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/terminal.py");
    let plain = mynah();
    let mut command = Command::new("python3");
    for (name, _) in plain.get_envs() {
        command.env_remove(name);
    }
    command.env("DAPR_GRPC_PORT", sidecar.grpc.port().to_string());
    command.arg(script).arg(json!(steps).to_string());
    command.arg(plain.get_program()).arg("converse").args(args);
    report(&Process::start(&mut command).wait()).replace('\x1b', "^[")
}

/// Runs an interactive session and types one line at each prompt.
fn type_lines(sidecar: &Sidecar, args: &[&str], lines: &[&str]) -> String {
    let step = |line: &&str| json!({"wait_for": "you> ", "type": line});
    run_at_terminal(sidecar, args, &lines.iter().map(step).collect::<Vec<_>>())
}

#[needs("python3")]
#[test]
fn answers_each_line() {
    let lines = ["Hello!\n", " \n", "And again.\n", CTRL_D];
    assert_snapshot!(type_lines(&Sidecar::start(), &[], &lines), @"
    mynah: talking to echo; Ctrl-D or /quit exits
    you> Hello!
    Hello!
    you>
    you> And again.
    And again.
    you>
    -- exit 0
    ");
    assert_snapshot!(type_lines(&Sidecar::start(), &[], &["/quit\n"]), @"
    mynah: talking to echo; Ctrl-D or /quit exits
    you> /quit
    -- exit 0
    ");
}

#[needs("python3")]
#[test]
fn requests_contain_earlier_calls_and_results() {
    let file = tools_file(WEATHER);
    let args = ["--tools", file.to_str().unwrap(), "--system=Be brief.", "--json"];
    let lines = ["The weather in Paris?\n", "And the weather in Rome?\n", CTRL_D];
    let shown = type_lines(&Sidecar::start(), &args, &lines);
    for answer in ["Paris", "Rome"] {
        let answer = format!(r#"  "text": "It is sunny in {answer}.","#);
        assert!(shown.contains(&answer), "{answer}: {shown}");
    }
    let last = shown.split(r#""messages""#).last().unwrap();
    for text in ["Be brief.", "The weather in Paris?", "It is sunny in Paris.", "in Rome."] {
        assert!(last.contains(text), "{text}: {shown}");
    }
}

#[needs("python3")]
#[test]
fn answers_history_first() {
    let history =
        history_file(r#"[{"ofUser": {"content": [{"text": "\u001b[2JIs it raining?"}]}}]"#);
    let args = ["--history", history.to_str().unwrap()];
    assert_snapshot!(type_lines(&Sidecar::start(), &args, &["Why?\n", CTRL_D]), @"
    mynah: talking to echo; Ctrl-D or /quit exits
    ␛[2JIs it raining?
    you> Why?
    Why?
    you>
    -- exit 0
    ");
}

#[needs("python3")]
#[test]
fn sanitizes_answers_and_errors_at_terminal() {
    let sidecar = Sidecar::start();
    let run = |args: &[&str]| run_at_terminal(&sidecar, args, &[]);
    assert_snapshot!(run(&["\x1b[2JHello!"]), @"
    ␛[2JHello!
    -- exit 0
    ");
    assert_snapshot!(redact_ports(&run(&["Hello!", "--component=\x1b[2J"])), @r"
    mynah: the call to 127.0.0.1:[port] failed with InvalidArgument: failed finding conversation component \u{1b}[2J
    -- exit 1
    ");
}

#[needs("python3")]
#[test]
fn removes_unanswered_prompt_from_history() {
    let shown = type_lines(&Sidecar::start(), &["--component=nope"], &["Hello!\n", CTRL_D]);
    assert_snapshot!(redact_ports(&shown), @"
    mynah: talking to nope; Ctrl-D or /quit exits
    you> Hello!
    mynah: the call to 127.0.0.1:[port] failed with InvalidArgument: failed finding conversation component nope
    you>
    -- exit 0
    ");
}

/// A slash and a single word form a command. Any other line that starts with a slash is a prompt.
#[needs("python3")]
#[test]
fn unknown_command_prints_help() {
    let lines = ["/help\n", "/exit\n", "/etc/hosts\n", "/help me\n", "/quit\n"];
    assert_snapshot!(type_lines(&Sidecar::start(), &[], &lines), @"
    mynah: talking to echo; Ctrl-D or /quit exits
    you> /help
    mynah: Ctrl-D, Ctrl-C or /quit exits; Ctrl-C during an answer cancels the answer
    you> /exit
    mynah: Ctrl-D, Ctrl-C or /quit exits; Ctrl-C during an answer cancels the answer
    you> /etc/hosts
    /etc/hosts
    you> /help me
    /help me
    you> /quit
    -- exit 0
    ");
}

#[needs("python3")]
#[test]
fn tool_calls_are_dim() {
    let file = tools_file(WEATHER);
    let args = ["The weather in Paris?", "--tools", file.to_str().unwrap()];
    let shown = run_at_terminal(&Sidecar::start(), &args, &[]);
    assert_snapshot!(shown, @r#"
    ^[[2mcalls:^[[0m ^[[1mget_weather^[[0m ^[[2m{"location":"Paris"}^[[0m
    ^[[2mtool:  get_weather: It is sunny in Paris.^[[0m
    It is sunny in Paris.
    -- exit 0
    "#);
}

#[needs("python3")]
#[test]
fn ctrl_c_at_prompt_exits() {
    assert_snapshot!(type_lines(&Sidecar::start(), &[], &[CTRL_C]), @"
    mynah: talking to echo; Ctrl-D or /quit exits
    you>
    mynah: cancelled
    -- exit 130
    ");
}

/// The tool and its background process are killed, and the session continues.
#[needs("python3")]
#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_cancels_answer() {
    let file = tools_file("");
    let folder = file.parent().unwrap();
    let pids = folder.join("pids");
    let script = format!(
        "sleep 1000 & echo $$ $! > {0}.new; mv {0}.new {0}; trap '' INT TERM; wait",
        pids.display()
    );
    let yaml = format!("tools: [{{name: wait_long, command: [sh, -c, \"{script}\"]}}]");
    std::fs::write(&file, yaml).unwrap();
    let steps = [
        json!({"wait_for": "you> ", "type": "wait_long\n"}),
        json!({"wait_for": "{}\u{1b}[0m\r\n", "wait_for_file": pids, "type": CTRL_C}),
        json!({"wait_for": "you> ", "type": "Hello!\n"}),
        json!({"wait_for": "you> ", "type": CTRL_D}),
    ];
    let args = ["--tools", file.to_str().unwrap()];
    assert_snapshot!(run_at_terminal(&Sidecar::start(), &args, &steps), @"
    mynah: talking to echo; Ctrl-D or /quit exits
    you> wait_long
    ^[[2mcalls:^[[0m ^[[1mwait_long^[[0m ^[[2m{}^[[0m
    ^[[2mtool:  Error executing wait_long: the call was interrupted because the tool loop ended; it may have taken effect^[[0m
    mynah: cancelled
    you> Hello!
    Hello!
    you>
    -- exit 0
    ");
    crate::support::process::wait_for_exit(&pids);
}
