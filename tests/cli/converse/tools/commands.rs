//! Tests of commands as tools, and of their failures.

use std::fs;

use insta::assert_snapshot;
use mynah_needs::needs;
use rustix::process::{Pid, Signal, kill_process};

use super::{chain, scripted_sidecar, with_tools};
use crate::{
    cli::{converse::run, report},
    support::{Sidecar, process::Process},
};

/// Runs `mynah converse` with this tool and a prompt that calls it.
fn run_tool(tool: &str) -> String {
    let yaml = format!("tools: [{{name: run_it, {tool}}}]");
    run(&mut with_tools(&Sidecar::start(), &yaml, &["Call run_it!"]))
}

#[test]
fn reports_exit_code_and_stderr() {
    assert_snapshot!(run_tool("command: [sh, -c, 'echo half; echo no such city >&2; exit 3']"), @"
    Error executing run_it: exit status 3: no such city
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: exit status 3: no such city
    -- exit 0
    ");
    assert_snapshot!(run_tool("command: [sh, -c, 'echo no such city; exit 3']"), @"
    Error executing run_it: exit status 3: no such city
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: exit status 3: no such city
    -- exit 0
    ");
    assert_snapshot!(run_tool("command: ['false']"), @"
    Error executing run_it: exit status 1
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: exit status 1
    -- exit 0
    ");
    assert_snapshot!(run_tool("command: [sh, -c, 'kill -9 $$']"), @"
    Error executing run_it: terminated by signal 9 (SIGKILL)
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: terminated by signal 9 (SIGKILL)
    -- exit 0
    ");
}

#[test]
fn reports_missing_program() {
    assert_snapshot!(run_tool("command: [no-such-program, --help]"), @"
    Error executing run_it: cannot run no-such-program: No such file or directory (os error 2)
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: cannot run no-such-program: No such file or directory (os error 2)
    -- exit 0
    ");
}

#[test]
fn truncates_long_error_output() {
    for to in [">&2", ""] {
        let script = format!("yes | head -c 100000 {to}; echo the reason {to}; exit 1");
        let report = run_tool(&format!("command: [sh, -c, '{script}']"));
        let reasons: Vec<_> = report.lines().filter(|line| line.ends_with("the reason")).collect();
        assert_eq!(reasons.len(), 1, "{report}");
        assert!(report.len() < 2_500, "{report}");
    }
}

#[test]
fn truncates_result_to_max_result() {
    let report = run_tool("command: [sh, -c, 'yes | head -c 10000000'], max_result: 4");
    assert_snapshot!(report, @"
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
fn stops_command_with_endless_output() {
    assert_snapshot!(run_tool("command: ['yes']"), @"
    Error executing run_it: the output is longer than 16 MiB
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: the output is longer than 16 MiB
    -- exit 0
    ");
}

#[test]
fn rejects_output_that_is_not_utf8() {
    assert_snapshot!(run_tool(r"command: [printf, 'Gr\374n']"), @"
    Error executing run_it: the output is not valid UTF-8 at byte 2
    -- stderr
    calls: run_it {}
    tool:  Error executing run_it: the output is not valid UTF-8 at byte 2
    -- exit 0
    ");
}

/// A background process keeps stdout open. It is killed when the command exits.
#[test]
fn kills_background_processes() {
    assert_snapshot!(run_tool("command: [sh, -c, 'sleep 1000 & echo done']"), @"
    done
    -- stderr
    calls: run_it {}
    tool:  run_it: done
    -- exit 0
    ");
}

/// A daemon in its own session keeps stdout open. mynah neither kills the daemon nor waits for it.
#[needs("setsid")]
#[test]
fn does_not_wait_for_daemons() {
    let script = "setsid sh -c 'echo $$ > new; mv new pid; exec sleep 100' & \
                  until [ -e pid ]; do sleep 0.01; done; echo done";
    let yaml = format!("tools: [{{name: run_it, timeout: 1h, command: [sh, -c, \"{script}\"]}}]");
    let sidecar = Sidecar::start();
    let mut command = with_tools(&sidecar, &yaml, &["Call run_it!"]);
    let pid = command.get_current_dir().unwrap().join("pid");
    let output = Process::start(&mut command).wait();
    let pid = fs::read_to_string(pid).unwrap();
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    let killed = kill_process(pid, Signal::KILL);
    assert_snapshot!(report(&output), @"
    done
    -- stderr
    calls: run_it {}
    tool:  run_it: done
    -- exit 0
    ");
    assert!(killed.is_ok(), "the daemon was killed");
}

/// The arguments are larger than a pipe's buffer.
#[test]
fn command_does_not_have_to_read_stdin() {
    let call = format!(r#"{{"name": "run_it", "args": {{"text": "{}"}}}}"#, "x".repeat(300_000));
    let steps = format!(
        r#"{{"messages": [{{"tool_call": [{call}]}}]}}, {{"messages": [{{"tool_results": {{}}}}]}}"#
    );
    let sidecar = scripted_sidecar();
    let mut command = with_tools(&sidecar, "tools: [{name: run_it, command: [echo, done]}]", &[]);
    let output = Process::start_with_input(&mut command, chain(&steps)).wait();
    assert_eq!((output.stdout.as_str(), output.code), ("done\n", Some(0)), "{}", output.stderr);
}

#[test]
fn command_inherits_working_directory_and_environment() {
    let yaml = "tools: [{name: run_it, command: [sh, -c, 'ls; echo $NAME; cat']}]";
    let sidecar = Sidecar::start();
    let mut command = with_tools(&sidecar, yaml, &["Call run_it!"]);
    let output = Process::start(command.env("NAME", "parrot")).wait();
    assert_eq!(output.stdout, "tools.yaml\nparrot\n{}\n");
}

/// The command and its background processes are killed.
#[test]
#[cfg(target_os = "linux")]
fn signal_kills_running_command() {
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
    tool:  Error executing run_it: the call was interrupted because the tool loop ended; it may have taken effect
    mynah: cancelled
    -- exit 143
    ");
    crate::support::process::wait_for_exit(&pids);
}
