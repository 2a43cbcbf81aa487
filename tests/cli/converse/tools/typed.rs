//! A conversation at a terminal: what is typed, and what is shown.

use std::{path::Path, process::Command};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{WEATHER, tools};
use crate::{
    cli::{converse::file, report, without_ports},
    interop::toolchain,
    support::{Sidecar, mynah, process::Process},
};

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

/// `mynah converse` at a terminal, where this is typed; `^[` is what begins a colour.
fn at_a_terminal(sidecar: &Sidecar, args: &[&str], steps: &[Value]) -> String {
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

/// Types each line at a prompt.
fn typed(sidecar: &Sidecar, args: &[&str], lines: &[&str]) -> String {
    let step = |line: &&str| json!({"sees": "you> ", "types": line});
    at_a_terminal(sidecar, args, &lines.iter().map(step).collect::<Vec<_>>())
}

fn suite(run: impl FnOnce()) {
    if toolchain::has("python3") {
        run();
    }
}

#[test]
fn a_conversation() {
    suite(|| {
        let lines = ["Hello!\n", " \n", "And again.\n", CTRL_D];
        assert_snapshot!(typed(&Sidecar::start(), &[], &lines), @"
        mynah: connected to echo; Ctrl-D or /quit exits
        you> Hello!
        Hello!
        you>
        you> And again.
        And again.
        you>
        -- exit 0
        ");
        assert_snapshot!(typed(&Sidecar::start(), &[], &["/quit\n"]), @"
        mynah: connected to echo; Ctrl-D or /quit exits
        you> /quit
        -- exit 0
        ");
    });
}

/// The second question is answered by what the first one came to.
#[test]
fn a_conversation_with_tools_remembers_them() {
    suite(|| {
        let file = tools(WEATHER);
        let args = ["--tools", file.to_str().unwrap(), "--system=Be brief.", "--json"];
        let lines = ["The weather in Paris?\n", "And the weather in Rome?\n", CTRL_D];
        let said = typed(&Sidecar::start(), &args, &lines);
        for answer in ["Paris", "Rome"] {
            let answer = format!(r#"  "text": "It is sunny in {answer}.","#);
            assert!(said.contains(&answer), "{answer}: {said}");
        }
        let last = said.split(r#""messages""#).last().unwrap();
        for text in ["Be brief.", "The weather in Paris?", "It is sunny in Paris.", "in Rome."] {
            assert!(last.contains(text), "{text}: {said}");
        }
    });
}

#[test]
fn a_history_is_answered_first() {
    suite(|| {
        let history = file(r#"[{"ofUser": {"content": [{"text": "\u001b[2JIs it raining?"}]}}]"#);
        let args = ["--history", history.to_str().unwrap()];
        assert_snapshot!(typed(&Sidecar::start(), &args, &["Why?\n", CTRL_D]), @"
        mynah: connected to echo; Ctrl-D or /quit exits
        ␛[2JIs it raining?
        you> Why?
        Why?
        you>
        -- exit 0
        ");
    });
}

/// As it is for one question, too, and for what is wrong with it.
#[test]
fn control_characters_are_shown() {
    suite(|| {
        let sidecar = Sidecar::start();
        let said = |args: &[&str]| at_a_terminal(&sidecar, args, &[]);
        assert_snapshot!(said(&["\x1b[2JHello!"]), @"
        ␛[2JHello!
        -- exit 0
        ");
        assert_snapshot!(without_ports(&said(&["Hello!", "--component=\x1b[2J"])), @"
        mynah: the call to 127.0.0.1:[port] failed with InvalidArgument: failed finding conversation component ␛[2J
        -- exit 1
        ");
    });
}

#[test]
fn a_question_that_cannot_be_answered_is_forgotten() {
    suite(|| {
        let said = typed(&Sidecar::start(), &["--component=nope"], &["Hello!\n", CTRL_D]);
        assert_snapshot!(without_ports(&said), @"
        mynah: connected to nope; Ctrl-D or /quit exits
        you> Hello!
        mynah: the call to 127.0.0.1:[port] failed with InvalidArgument: failed finding conversation component nope
        you>
        -- exit 0
        ");
    });
}

/// A slip is no question; a path may be one.
#[test]
fn help_is_at_hand() {
    suite(|| {
        let lines = ["/help\n", "/exit\n", "/etc/hosts\n", "/help me\n", "/quit\n"];
        assert_snapshot!(typed(&Sidecar::start(), &[], &lines), @"
        mynah: connected to echo; Ctrl-D or /quit exits
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
    });
}

/// What tools do is told beside the answer, and looks so.
#[test]
fn calls_do_not_look_like_the_answer() {
    suite(|| {
        let file = tools(WEATHER);
        let args = ["The weather in Paris?", "--tools", file.to_str().unwrap()];
        let said = at_a_terminal(&Sidecar::start(), &args, &[]);
        assert_snapshot!(said, @r#"
        ^[[2mcalls:^[[0m ^[[1mget_weather^[[0m ^[[2m{"location":"Paris"}^[[0m
        ^[[2mtool:  get_weather: It is sunny in Paris.^[[0m
        It is sunny in Paris.
        -- exit 0
        "#);
    });
}

#[test]
fn ctrl_c_at_the_prompt_ends_it() {
    suite(|| {
        assert_snapshot!(typed(&Sidecar::start(), &[], &[CTRL_C]), @"
        mynah: connected to echo; Ctrl-D or /quit exits
        you> ^C
        mynah: cancelled
        -- exit 130
        ");
    });
}

/// The tool, and what it has started, end; the conversation goes on.
#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_cancels_an_answer() {
    suite(|| {
        let file = tools("");
        let folder = file.parent().unwrap();
        let pids = folder.join("pids");
        let script = format!(
            "sleep 1000 & echo $$ $! > {0}.new; mv {0}.new {0}; trap '' INT TERM; wait",
            pids.display()
        );
        let yaml = format!("tools: [{{name: wait_long, command: [sh, -c, \"{script}\"]}}]");
        std::fs::write(&file, yaml).unwrap();
        let steps = [
            json!({"sees": "you> ", "types": "wait_long\n"}),
            json!({"sees": "calls:", "there_is": pids, "types": CTRL_C}),
            json!({"sees": "you> ", "types": "Hello!\n"}),
            json!({"sees": "you> ", "types": CTRL_D}),
        ];
        let args = ["--tools", file.to_str().unwrap()];
        assert_snapshot!(at_a_terminal(&Sidecar::start(), &args, &steps), @"
        mynah: connected to echo; Ctrl-D or /quit exits
        you> wait_long
        ^[[2mcalls:^[[0m ^[[1mwait_long^[[0m ^[[2m{}^[[0m
        ^C^[[2mtool:  Error executing wait_long: the tool loop ended before there was a result^[[0m
        mynah: cancelled
        you> Hello!
        Hello!
        you>
        -- exit 0
        ");
        crate::support::process::wait_for_exit(&pids);
    });
}
