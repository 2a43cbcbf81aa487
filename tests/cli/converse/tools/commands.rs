//! Commands that do not do what a tool should.

use std::fs;

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};

use super::{chain, scripted, with_tools};
use crate::{
    cli::{converse::said, report},
    interop::toolchain,
    support::{Sidecar, process::Process},
};

/// What is said where this is what runs.
fn with(tool: &str) -> String {
    let yaml = format!("tools: [{{name: run_it, {tool}}}]");
    said(&mut with_tools(&Sidecar::start(), &yaml, &["Call run_it!"]))
}

#[test]
fn one_that_fails() {
    assert_snapshot!(with("command: [sh, -c, 'echo half; echo no such city >&2; exit 3']"), @"
    Error executing run_it: exit status 3: no such city
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: exit status 3: no such city
    -- exit 0
    ");
    assert_snapshot!(with("command: [sh, -c, 'echo no such city; exit 3']"), @"
    Error executing run_it: exit status 3: no such city
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: exit status 3: no such city
    -- exit 0
    ");
    assert_snapshot!(with("command: ['false']"), @"
    Error executing run_it: exit status 1
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: exit status 1
    -- exit 0
    ");
    assert_snapshot!(with("command: [sh, -c, 'kill -9 $$']"), @"
    Error executing run_it: ended by signal 9 (SIGKILL)
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: ended by signal 9 (SIGKILL)
    -- exit 0
    ");
}

#[test]
fn one_that_is_not_there() {
    assert_snapshot!(with("command: [no-such-program, --help]"), @"
    Error executing run_it: cannot run no-such-program: No such file or directory (os error 2)
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: cannot run no-such-program: No such file or directory (os error 2)
    -- exit 0
    ");
}

#[test]
fn one_that_says_why_at_length() {
    for to in [">&2", ""] {
        let script = format!("yes | head -c 100000 {to}; echo the reason {to}; exit 1");
        let said = with(&format!("command: [sh, -c, '{script}']"));
        let reasons: Vec<_> = said.lines().filter(|line| line.ends_with("the reason")).collect();
        assert_eq!(reasons.len(), 1, "{said}");
        assert!(said.len() < 2_500, "{said}");
    }
}

#[test]
fn one_that_writes_a_lot() {
    let said = with("command: [sh, -c, 'yes | head -c 10000000'], max_result: 4");
    assert_snapshot!(said, @"
    y
    y

    [truncated: 4 of 9999999 bytes]
    -- stderr
    calls: run_it {}
    tool:  run_it: y y  [truncated: 4 of 9999999 bytes]
    -- exit 0
    ");
}

#[test]
fn one_that_writes_for_ever() {
    assert_snapshot!(with("command: ['yes']"), @"
    Error executing run_it: the output is longer than 16 MiB
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: the output is longer than 16 MiB
    -- exit 0
    ");
}

#[test]
fn one_that_writes_no_text() {
    assert_snapshot!(with(r"command: [printf, 'Gr\374n']"), @"
    Error executing run_it: the output is not UTF-8 after 2 bytes
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: the output is not UTF-8 after 2 bytes
    -- exit 0
    ");
}

/// What it leaves in the background holds its output open, and ends with it.
#[test]
fn one_that_leaves_something_behind() {
    assert_snapshot!(with("command: [sh, -c, 'sleep 1000 & echo done']"), @"
    done
    -- stderr
    calls: run_it {}
    tool:  run_it: done
    -- exit 0
    ");
}

/// A daemon outlives the call and holds the output open, which nobody waits for.
#[test]
fn one_that_starts_a_daemon() {
    if !toolchain::has("setsid") {
        return;
    }
    let script = "setsid sh -c 'echo $$ > new; mv new pid; exec sleep 100' & \
                  until [ -e pid ]; do sleep 0.01; done; echo done";
    let yaml = format!("tools: [{{name: run_it, timeout: 1h, command: [sh, -c, \"{script}\"]}}]");
    let sidecar = Sidecar::start();
    let mut command = with_tools(&sidecar, &yaml, &["Call run_it!"]);
    let pid = command.get_current_dir().unwrap().join("pid");
    let ended = Process::start(&mut command).wait();
    let pid = fs::read_to_string(pid).unwrap();
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    let killed = kill_process(pid, Signal::KILL);
    assert_snapshot!(report(&ended), @"
    done
    -- stderr
    calls: run_it {}
    tool:  run_it: done
    -- exit 0
    ");
    assert!(killed.is_ok(), "the daemon has ended");
}

/// More than a pipe holds.
#[test]
fn one_that_does_not_read() {
    let call = format!(r#"{{"name": "run_it", "args": {{"text": "{}"}}}}"#, "x".repeat(300_000));
    let steps = format!(
        r#"{{"messages": [{{"tool_call": [{call}]}}]}}, {{"messages": [{{"tool_results": {{}}}}]}}"#
    );
    let sidecar = scripted();
    let mut command = with_tools(&sidecar, "tools: [{name: run_it, command: [echo, done]}]", &[]);
    let ended = Process::start_with_input(&mut command, chain(&steps)).wait();
    assert_eq!((ended.stdout.as_str(), ended.code), ("done\n", Some(0)), "{}", ended.stderr);
}

/// It runs where the user is, with the user's environment.
#[test]
fn one_that_looks_around() {
    let yaml = "tools: [{name: run_it, command: [sh, -c, 'ls; echo $NAME; cat']}]";
    let sidecar = Sidecar::start();
    let mut command = with_tools(&sidecar, yaml, &["Call run_it!"]);
    let ended = Process::start(command.env("NAME", "parrot")).wait();
    assert_eq!(ended.stdout, "tools.yaml\nparrot\n{}\n");
}

/// A signal ends the command with all that it has started, and then the program.
#[test]
#[cfg(target_os = "linux")]
fn one_that_never_ends() {
    let script = "sleep 1000 & echo $$ $! > new; mv new pids; trap '' TERM; wait; wait";
    let yaml = format!("tools: [{{name: run_it, command: [sh, -c, \"{script}\"]}}]");
    let sidecar = Sidecar::start();
    let mut command = with_tools(&sidecar, &yaml, &["Call run_it!"]);
    let pids = command.get_current_dir().unwrap().join("pids");
    let process = Process::start(&mut command);
    process.signal_when_exists(&pids, Signal::TERM);
    assert_snapshot!(report(&process.wait()), @"
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: the tool loop ended before there was a result
    mynah: cancelled
    -- exit 143
    ");
    crate::support::process::wait_for_exit(&pids);
}
