//! What it reads: standard input, and a file of earlier messages.

use std::process::Command;

use insta::{allow_duplicates, assert_snapshot};

use super::{HISTORY, converse, with_history};
use crate::{
    cli::{report, without_ports},
    support::{Sidecar, mynah, process::Process, scratch},
};

fn piped(sidecar: &Sidecar, input: impl AsRef<[u8]>, args: &[&str]) -> String {
    let process = Process::start_with_input(&mut converse(sidecar, args), input);
    without_ports(&report(&process.wait()))
}

#[test]
fn a_prompt_on_standard_input() {
    let sidecar = Sidecar::start();
    allow_duplicates! {
        for (input, args) in [("Hello,\n mynah!\n", &[][..]), ("Hello,\n mynah!\r\n", &["-"])] {
            assert_snapshot!(piped(&sidecar, input, args), @"
            Hello,
             mynah!
            -- exit 0
            ");
        }
    }
}

/// One line break ends the last line; another one is the user's.
#[test]
fn only_the_last_line_break_is_dropped() {
    let said = piped(&Sidecar::start(), "Hello!\n\n", &["--json"]);
    assert!(said.contains(r#""content":"Hello!\n""#), "{said}");
}

#[test]
fn a_prompt_beats_standard_input() {
    assert_snapshot!(piped(&Sidecar::start(), "not this", &["this"]), @"
    this
    -- exit 0
    ");
}

#[test]
fn no_prompt() {
    let sidecar = Sidecar::start();
    allow_duplicates! {
        for (input, args) in [("", &[][..]), ("\n", &[]), ("", &["-"]), ("Hello!", &[""])] {
            assert_snapshot!(piped(&sidecar, input, args), @"
            -- stderr
            mynah: no prompt; pass one, such as mynah converse 'Hello, mynah!', or write it to stdin
            -- exit 64
            ");
        }
    }
}

#[test]
fn standard_input_that_is_no_text() {
    assert_snapshot!(piped(&Sidecar::start(), b"Hello,\nmyn\xe4h!", &[]), @"
    -- stderr
    mynah: standard input:2:4: not valid UTF-8
    -- exit 1
    ");
}

#[test]
fn standard_input_without_an_end() {
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
fn a_broken_history() {
    let sidecar = Sidecar::start();
    let said = |history: &str| with_history(&sidecar, history, &["Hello!"]);
    assert_snapshot!(said(HISTORY.strip_suffix("}}\n]").unwrap()), @"
    -- stderr
    mynah: [folder]/history.json:7:94: not valid JSON: EOF while parsing an object
    -- exit 1
    ");
    assert_snapshot!(said("[\n {\"role\": \"user\", \"content\": \"Hello!\"}\n]"), @r#"
    -- stderr
    mynah: [folder]/history.json:2:8: unrecognized field name 'role'; a message looks like {"ofUser": {"content": [{"text": "Hello!"}]}}
    -- exit 1
    "#);
    assert_snapshot!(said(r#"{"inputs": [{"messages": [{"ofUser": {"content": "Hello!"}}]}]}"#), @r#"
    -- stderr
    mynah: [folder]/history.json:1:57: invalid type: string "Hello!", expected a list
    -- exit 1
    "#);
    assert_snapshot!(said(r#""Hello!""#), @r#"
    -- stderr
    mynah: [folder]/history.json:1:8: invalid type: string "Hello!", expected a list of messages or a request
    -- exit 1
    "#);
    assert_snapshot!(said("{\"end\": \"answered\",\n \"messages\": [{\"role\": \"user\"}]}"), @r#"
    -- stderr
    mynah: [folder]/history.json:2:21: unrecognized field name 'role'; a message looks like {"ofUser": {"content": [{"text": "Hello!"}]}}
    -- exit 1
    "#);
    assert_snapshot!(said("{\"end\": \"answered\", \"messages\": ["), @"
    -- stderr
    mynah: [folder]/history.json:1:33: not valid JSON: EOF while parsing a list
    -- exit 1
    ");
    assert_snapshot!(said("[] []"), @"
    -- stderr
    mynah: [folder]/history.json:1:4: not valid JSON: trailing characters
    -- exit 1
    ");
    assert_snapshot!(said(""), @"
    -- stderr
    mynah: [folder]/history.json:1:1: not valid JSON: EOF while parsing a value
    -- exit 1
    ");
}

/// What nests deeper than a message can is told from what a sidecar would refuse.
#[test]
fn a_history_that_is_too_deep() {
    let deep =
        format!(r#"{{"responseFormat": {}}}"#, r#"{"a":"#.repeat(40) + "1" + &"}".repeat(40));
    assert_snapshot!(with_history(&Sidecar::start(), &deep, &["Hello!"]), @"
    -- stderr
    mynah: [folder]/history.json:1:261: message is nested too deeply
    -- exit 1
    ");
}

#[test]
fn a_history_that_is_not_there() {
    let mut command = mynah();
    command.args(["converse", "--history", "target/nothing.json"]);
    assert_snapshot!(report(&Process::start(&mut command).wait()), @"
    -- stderr
    mynah: target/nothing.json: cannot be read: No such file or directory (os error 2)
    -- exit 1
    ");
}

/// As a shell makes one of `--history <(…)`.
#[test]
fn a_history_from_a_pipe() {
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
fn a_history_without_a_message() {
    assert_snapshot!(with_history(&Sidecar::start(), "[]", &[]), @"
    -- stderr
    mynah: no prompt; pass one, such as mynah converse 'Hello, mynah!', or write it to stdin
    -- exit 64
    ");
}
