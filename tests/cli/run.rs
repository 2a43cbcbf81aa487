//! `mynah run`: a command beside a sidecar of its own.

use std::{os::unix::process::CommandExt, process::Command};

use insta::assert_snapshot;
use rustix::process::Signal;

use super::{GOOD, folder, report, without_ports};
use crate::{
    interop::toolchain,
    support::{
        mynah,
        process::{Output, Process},
        scratch,
    },
};

/// Ends with all that the script has printed.
fn run(script: &str) -> Output {
    run_with(&[], &[], script)
}

fn run_with(environment: &[(&str, &str)], flags: &[&str], script: &str) -> Output {
    Process::start(&mut command(environment, flags, script)).wait()
}

fn command(environment: &[(&str, &str)], flags: &[&str], script: &str) -> Command {
    let mut command = mynah();
    command.envs(environment.iter().copied());
    command.arg("run").args(flags).args(["--", "sh", "-c", script]);
    command
}

#[test]
fn the_command_finds_the_sidecar() {
    let ended = run(
        r#"echo "$DAPR_GRPC_ENDPOINT $DAPR_HTTP_ENDPOINT" | sed "s/$DAPR_GRPC_PORT/GRPC/; s/$DAPR_HTTP_PORT/HTTP/""#,
    );
    assert_eq!(ended.stdout, "http://127.0.0.1:GRPC http://127.0.0.1:HTTP\n");
    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));
}

#[test]
fn the_ports_are_free_ones_whatever_the_environment_says() {
    let environment = [("DAPR_GRPC_PORT", "50001"), ("DAPR_HTTP_PORT", "3500")];
    let script = r#"echo "$DAPR_GRPC_PORT $DAPR_HTTP_PORT""#;
    let ports = run_with(&environment, &[], script).stdout;
    assert!(!ports.contains("50001") && !ports.contains("3500 "), "{ports}");
    let others = run_with(&environment, &["--dapr-grpc-port=0"], script).stdout;
    assert_ne!(ports, others);
}

#[test]
fn the_sidecar_answers_the_command() {
    if !toolchain::has("bash") {
        return;
    }
    let script = r#"exec 3<>"/dev/tcp/127.0.0.1/$DAPR_HTTP_PORT"
        printf 'GET /v1.0/healthz HTTP/1.0\r\n\r\n' >&3
        read -r _ status _ <&3
        echo "$status""#;
    let ended = Process::start(mynah().args(["run", "--", "bash", "-c", script])).wait();
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "204\n"), "{}", ended.stderr);
}

#[test]
fn the_token_is_the_commands_too() {
    let environment = [("DAPR_API_TOKEN", "secret")];
    assert_eq!(run_with(&environment, &[], r#"echo "$DAPR_API_TOKEN""#).stdout, "secret\n");
    assert_eq!(run(r#"echo "${DAPR_API_TOKEN-none}""#).stdout, "none\n");
}

#[test]
fn the_exit_status_is_the_commands() {
    for code in [0, 1, 7, 255] {
        assert_eq!(run(&format!("exit {code}")).code, Some(code));
    }
    assert_eq!(run("kill -s KILL $$").code, Some(128 + 9));
    assert_eq!(run("kill -s TERM $$").code, Some(128 + 15));
}

#[test]
fn its_output_is_the_commands_alone() {
    let ended = run("echo out; echo err >&2");
    assert_eq!((&*ended.stdout, &*ended.stderr), ("out\n", "err\n"));
}

#[test]
fn a_signal_to_mynah_is_one_to_the_command() {
    let ended =
        run(r#"trap 'echo told; exit 3' TERM; kill -s TERM $PPID; while :; do sleep 0.01; done"#);
    assert_eq!((ended.code, &*ended.stdout), (Some(3), "told\n"), "{}", ended.stderr);
}

#[test]
fn what_the_sidecar_passes_over_is_no_news_to_the_command() {
    let folder = folder(&[("notes.txt", ""), ("good.yaml", GOOD)]);
    let folder = folder.to_str().unwrap();
    let ended = run_with(&[], &["--resources-path", folder], "true");
    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));
    let flags = ["--log-level", "INFO", "--resources-path", folder];
    assert!(run_with(&[], &flags, "true").stderr.contains("skipped"));
}

#[test]
fn the_command_may_end_the_sidecar_and_go_on() {
    let script = r#"curl -s -X POST "$DAPR_HTTP_ENDPOINT/v1.0/shutdown"
        while curl -s "$DAPR_HTTP_ENDPOINT/v1.0/healthz"; do sleep 0.01; done
        echo "gone"; exit 5"#;
    if !toolchain::has("curl") {
        return;
    }
    let ended = run(script);
    assert_eq!((ended.code, &*ended.stdout), (Some(5), "gone\n"), "{}", ended.stderr);
}

#[test]
fn signals_are_passed_on() {
    let signals = [
        ("INT", Signal::INT),
        ("TERM", Signal::TERM),
        ("HUP", Signal::HUP),
        ("QUIT", Signal::QUIT),
        ("USR1", Signal::USR1),
    ];
    for (name, signal) in signals {
        let number = signal.as_raw();
        let ready = scratch("ready").join("ready");
        let script = format!(
            "trap 'echo {name}; exit {number}' {name}; : > {}; while :; do sleep 0.01; done",
            ready.display()
        );
        // In a group of its own it is not in the foreground of a terminal, which would tell both.
        let process = Process::start(command(&[], &[], &script).process_group(0));
        process.signal_when_exists(&ready, signal);
        let ended = process.wait();
        assert_eq!((ended.code, ended.stdout), (Some(number), format!("{name}\n")));
    }
}

#[test]
fn a_command_that_is_not_there() {
    let ended = Process::start(mynah().args(["run", "--", "no-such-command"])).wait();
    assert_snapshot!(report(&ended), @"
    -- stderr
    mynah: cannot run no-such-command: No such file or directory (os error 2)
    -- exit 127
    ");
    let ended = Process::start(mynah().args(["run", "--", "/"])).wait();
    assert_snapshot!(report(&ended), @"
    -- stderr
    mynah: cannot run /: Permission denied (os error 13)
    -- exit 126
    ");
}

#[test]
fn without_a_command() {
    assert_snapshot!(report(&Process::start(mynah().arg("run")).wait()), @"
    -- stderr
    error: the following required arguments were not provided:
      <COMMAND>...

    Usage: mynah run -- <COMMAND>...

    For more information, try '--help'.
    -- exit 64
    ");
    assert_snapshot!(report(&Process::start(mynah().args(["run", "sh"])).wait()), @"
    -- stderr
    error: unexpected argument 'sh' found

    Usage: mynah run [OPTIONS] -- <COMMAND>...

    For more information, try '--help'.
    -- exit 64
    ");
}

#[test]
fn a_sidecar_that_cannot_start_runs_nothing() {
    let taken = crate::support::process::occupied_port();
    let port = format!("--dapr-http-port={}", taken.local_addr().unwrap().port());
    let ended = run_with(&[], &[&port], "echo never");
    assert_snapshot!(without_ports(&report(&ended)), @"
    -- stderr
    mynah: cannot listen on 127.0.0.1:[port]: the port is in use; --dapr-http-port sets the port, 0 takes any that is free
    -- exit 1
    ");
}
