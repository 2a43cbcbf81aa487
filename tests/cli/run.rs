//! Tests of `mynah run`.

use std::{fs, io::Write, os::unix::process::CommandExt, path::Path, process::Command};

use insta::assert_snapshot;
use mynah_needs::needs;
use rustix::process::Signal;
use serde_json::json;

use super::{VALID, redact_ports, report, stop::start_stream, write_folder};
use crate::support::{
    mynah,
    ports::ReservedPort,
    process::{Output, Process, wait_for_exit},
    scratch,
};

/// Runs a shell script with `mynah run`.
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

const PRINT_ENDPOINTS: &str = r#"echo "${DAPR_GRPC_ENDPOINT-none} $DAPR_HTTP_ENDPOINT" |
    sed "s/$DAPR_GRPC_PORT/GRPC/; s/$DAPR_HTTP_PORT/HTTP/""#;

/// `DAPR_GRPC_ENDPOINT` is not set, because no form of it suits all SDKs.
#[test]
fn sets_dapr_variables() {
    let elsewhere = [
        ("DAPR_GRPC_ENDPOINT", "http://elsewhere:1"),
        ("DAPR_HTTP_ENDPOINT", "http://elsewhere:2"),
    ];
    let hosts = [("DAPR_RUNTIME_HOST", "elsewhere"), ("DAPR_SIDECAR_IP", "elsewhere")];
    let script = format!(
        "{PRINT_ENDPOINTS}; echo \"${{DAPR_RUNTIME_HOST-none}} ${{DAPR_SIDECAR_IP-none}}\""
    );
    for environment in [&[][..], &[elsewhere, hosts].concat()] {
        let output = run_with(environment, &[], &script);
        assert_eq!(output.stdout, "none http://127.0.0.1:HTTP\nnone none\n");
        assert_eq!((output.code, &*output.stderr), (Some(0), ""));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn sets_endpoint_for_addresses_that_sdks_do_not_assume() {
    let output = run_with(&[], &["--dapr-listen-addresses=127.0.0.2"], PRINT_ENDPOINTS);
    assert_eq!(output.stdout, "http://127.0.0.2:GRPC http://127.0.0.2:HTTP\n");
}

#[test]
fn ignores_ports_in_environment() {
    // Nothing else can be on these ports, so mynah would use them if it read the variables.
    let reserved = [(); 2].map(|()| ReservedPort::new());
    let [grpc, http] = reserved.each_ref().map(|port| port.number.to_string());
    let environment = [("DAPR_GRPC_PORT", &*grpc), ("DAPR_HTTP_PORT", &*http)];
    let script = r#"echo "$DAPR_GRPC_PORT $DAPR_HTTP_PORT""#;
    let flags = [&[][..], &["--dapr-grpc-port=0"], &["--dapr-http-port=0"]];
    for flags in flags {
        let ports = run_with(&environment, flags, script).stdout;
        let ports: Vec<u16> = ports.split_whitespace().map(|port| port.parse().unwrap()).collect();
        let [grpc, http] = ports[..] else { panic!("not two ports: {ports:?}") };
        assert!(grpc != reserved[0].number && http != reserved[1].number, "{flags:?}: {ports:?}");
    }
}

#[needs("bash")]
#[test]
fn sidecar_serves_while_command_runs() {
    let script = r#"exec 3<>"/dev/tcp/127.0.0.1/$DAPR_HTTP_PORT"
        printf 'GET /v1.0/healthz HTTP/1.0\r\n\r\n' >&3
        read -r _ status _ <&3
        echo "$status""#;
    let output = Process::start(mynah().args(["run", "--", "bash", "-c", script])).wait();
    assert_eq!((output.code, &*output.stdout), (Some(0), "204\n"), "{}", output.stderr);
}

#[test]
fn command_inherits_token() {
    let environment = [("DAPR_API_TOKEN", "secret")];
    assert_eq!(run_with(&environment, &[], r#"echo "$DAPR_API_TOKEN""#).stdout, "secret\n");
    assert_eq!(run(r#"echo "${DAPR_API_TOKEN-none}""#).stdout, "none\n");
}

#[test]
fn returns_exit_code_of_command() {
    for code in [0, 1, 7, 255] {
        assert_eq!(run(&format!("exit {code}")).code, Some(code));
    }
    assert_eq!(run("kill -s KILL $$").code, Some(128 + 9));
    assert_eq!(run("kill -s TERM $$").code, Some(128 + 15));
}

#[test]
fn prints_only_output_of_command() {
    let output = run("echo out; echo err >&2");
    assert_eq!((&*output.stdout, &*output.stderr), ("out\n", "err\n"));
}

#[test]
fn command_can_signal_mynah() {
    let output = run(
        r#"trap 'echo received; exit 3' TERM; kill -s TERM $PPID; while :; do sleep 0.01; done"#,
    );
    assert_eq!((output.code, &*output.stdout), (Some(3), "received\n"), "{}", output.stderr);
}

#[test]
fn logs_warnings_only_by_default() {
    let folder = write_folder(&[("notes.txt", ""), ("good.yaml", VALID)]);
    let folder = folder.to_str().unwrap();
    let output = run_with(&[], &["--resources-path", folder], "true");
    assert_eq!((output.code, &*output.stderr), (Some(0), ""));
    let flags = ["--log-level", "INFO", "--resources-path", folder];
    assert!(run_with(&[], &flags, "true").stderr.contains("skipped"));
}

#[needs("curl")]
#[test]
fn command_can_shut_down_sidecar_and_continue() {
    let script = r#"curl -s -X POST "$DAPR_HTTP_ENDPOINT/v1.0/shutdown"
        while curl -s "$DAPR_HTTP_ENDPOINT/v1.0/healthz"; do sleep 0.01; done
        echo "gone"; exit 5"#;
    let output = run(script);
    assert_eq!((output.code, &*output.stdout), (Some(5), "gone\n"), "{}", output.stderr);
}

#[test]
fn forwards_signals() {
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
        // Run mynah in its own process group, because it does not forward Ctrl-C in the foreground.
        let process = Process::start(command(&[], &[], &script).process_group(0));
        process.signal_when_exists(&ready, signal);
        let output = process.wait();
        assert_eq!((output.code, output.stdout), (Some(number), format!("{name}\n")));
    }
}

/// Otherwise a call of a background process would keep mynah alive for the whole grace period.
#[test]
fn signal_after_exit_of_command_cuts_calls() {
    let folder = write_folder(&[(
        "slow.yaml",
        &format!("{VALID}  metadata: [{{name: chunkDelay, value: 1h}}]\n"),
    )]);
    let (addresses, go) = (folder.join("addresses.json"), folder.join("go"));
    let flags = ["--dapr-graceful-shutdown-seconds=3600", "--resources-path"];
    let flags = [&flags[..], &[folder.to_str().unwrap(), "--addresses-file"]].concat();
    let flags = [&flags[..], &[addresses.to_str().unwrap()]].concat();
    let script = format!("until [ -e {} ]; do sleep 0.01; done; exit 3", go.display());
    let process = Process::start(&mut command(&[], &flags, &script));
    let address = process.address(&addresses, "http");
    let _stream = start_stream(address);
    fs::write(go, "").unwrap();
    process.wait_until_refused(address);
    let output = process.terminate();
    assert_eq!(output.code, Some(3), "{}", output.stderr);
    assert_eq!(output.stderr, " WARN signal after the command exited: calls in flight were cut\n");
}

/// Runs a shell script with a sidecar at a terminal, in the foreground.
fn run_at_terminal(script: &str, steps: &serde_json::Value) -> Output {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/terminal.py");
    let mut terminal = Command::new("python3");
    terminal.arg(program).arg(steps.to_string()).arg(mynah().get_program());
    Process::start(terminal.args(["run", "--", "sh", "-c", script])).wait()
}

#[needs("python3")]
#[test]
fn forwards_interrupts_of_other_processes_in_the_foreground() {
    let script =
        "trap 'echo received; exit 3' INT; kill -s INT $PPID; while :; do sleep 0.01; done";
    let output = run_at_terminal(script, &json!([]));
    assert_eq!((output.code, &*output.stdout), (Some(3), "received\n"), "{}", output.stderr);
}

/// The terminal sends Ctrl-C to the command also. A second one would be too many.
#[needs("python3")]
#[test]
fn does_not_forward_ctrl_c() {
    let script = "trap 'echo received' INT; echo ready; read -r line; echo \"$line\"";
    let steps = json!([
        {"wait_for": "ready", "type": "\x03"},
        {"wait_for": "received", "type": "typed\n"},
    ]);
    let output = run_at_terminal(script, &steps);
    assert_eq!(output.stdout.matches("received").count(), 1, "{}", output.stdout);
}

#[test]
fn exits_like_a_shell_if_command_cannot_run() {
    let output = Process::start(mynah().args(["run", "--", "no-such-command"])).wait();
    assert_snapshot!(report(&output), @"
    -- stderr
    mynah: cannot run no-such-command: No such file or directory (os error 2)
    -- exit 127
    ");
    let output = Process::start(mynah().args(["run", "--", "/"])).wait();
    assert_snapshot!(report(&output), @"
    -- stderr
    mynah: cannot run /: Permission denied (os error 13)
    -- exit 126
    ");
}

#[test]
fn requires_command() {
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
fn does_not_run_command_if_sidecar_cannot_start() {
    let occupied = crate::support::process::occupied_port();
    let port = format!("--dapr-http-port={}", occupied.local_addr().unwrap().port());
    let output = run_with(&[], &[&port], "echo never");
    assert_snapshot!(redact_ports(&report(&output)), @"
    -- stderr
    mynah: cannot listen on 127.0.0.1:[port]: the port is in use; choose another port with --dapr-http-port (0 picks a free one)
    -- exit 1
    ");
}

/// A test that runs on without its sidecar is of no use.
#[cfg(target_os = "linux")]
#[test]
fn command_and_its_descendants_end_if_mynah_is_killed() {
    let folder = scratch("killed");
    let [pids, ready] = ["pids", "ready"].map(|name| folder.join(name));
    let script = format!(
        "trap '' TERM HUP INT; sh -c 'trap \"\" TERM; sleep 1000 & echo $! >> {pids}'; \
         sleep 1000 & echo $! $$ >> {pids}; : > {ready}; wait",
        pids = pids.display(),
        ready = ready.display(),
    );
    let process = Process::start(&mut command(&[], &[], &script));
    process.signal_when_exists(&ready, Signal::KILL);
    assert_eq!(fs::read_to_string(&pids).unwrap().split_whitespace().count(), 3);
    wait_for_exit(&pids);
    assert_eq!(process.wait().code, None);
}

/// As the first process of a container, mynah has to reap orphans.
#[cfg(target_os = "linux")]
#[test]
fn orphans_are_reaped() {
    let script = r#"orphan=$(sh -c 'sleep 1000 >/dev/null & echo $!')
        read -r _ _ _ parent _ < "/proc/$orphan/stat"
        [ "$parent" = "$PPID" ] || exit 1
        kill -s KILL "$orphan"
        while [ -e "/proc/$orphan" ]; do sleep 0.01; done"#;
    let output = run(script);
    assert_eq!((output.code, &*output.stderr), (Some(0), ""));
}

/// The command keeps its input, which mynah only watches.
#[test]
fn stops_when_standard_input_is_closed() {
    let ready = scratch("ready").join("ready");
    let script = format!(
        "read -r line; trap 'echo $line; exit 3' TERM; : > {}; while :; do sleep 0.01; done",
        ready.display()
    );
    let mut command = command(&[], &["--exit-on-stdin-close"], &script);
    let (process, mut input) = Process::start_with_open_input(&mut command);
    input.write_all(b"typed\n").unwrap();
    process.wait_until_exists(&ready);
    drop(input);
    let output = process.wait();
    assert_eq!((output.code, &*output.stdout), (Some(3), "typed\n"), "{}", output.stderr);
}
