//! Tests of command lines written for daprd.

use std::process::Command;

use mynah_needs::needs;

use super::{VALID, write_folder};
use crate::{
    interop::{child, toolchain},
    support::{
        mynah,
        process::{Process, start_and_stop},
        scratch,
    },
};

/// All flags of daprd 1.18 that mynah ignores, written as in scripts and in `dapr run`.
const COMMAND_LINE: &str = "
    --actors-disseminate-timeout 1s --actors-service placement:localhost:50005
    --allowed-origins * --app-channel-address 127.0.0.1 --app-health-check-path /healthz
    --app-health-probe-interval 5 --app-health-probe-timeout 500 --app-health-threshold 3
    --app-max-concurrency -1 --app-port 8080 --app-protocol http --config ./config.yaml
    --control-plane-address localhost:6500 --control-plane-namespace dapr-system
    --control-plane-trust-domain cluster.local --dapr-block-shutdown-duration 1s
    --dapr-http-max-request-size 4 --dapr-http-read-buffer-size 4
    --dapr-internal-grpc-listen-address 127.0.0.1 --dapr-internal-grpc-port 50002
    --dapr-public-listen-address 127.0.0.1 --dapr-public-port 3501
    --disable-init-endpoints metadata --log-file daprd.log
    --metrics-listen-address 127.0.0.1 --mode standalone
    --placement-host-address localhost:50005 --profile-port 7777 --read-buffer-size 4Ki
    --reminders-service default --scheduler-host-address localhost:50006
    --scheduler-job-streams 3 --sentry-address localhost:50001
    --sentry-request-jwt-audiences mynah
    --app-ssl --build-info=false --disable-builtin-k8s-secret-store=true
    --enable-api-logging --enable-app-health-check=false --enable-mtls=true
    --enable-profiling --wait=false";

/// The flags that mynah supports.
const SUPPORTED: &str = "
    --app-id shop --metrics-port 0 --max-body-size 8Mi --dapr-graceful-shutdown-seconds 7
    --dapr-listen-addresses 127.0.0.1 --log-level info";

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Starts and stops a sidecar with these arguments, and returns its log.
fn start_log(line: &[String], more: &[&str]) -> String {
    let args: Vec<_> = line.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let output = start_and_stop(&args);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(output.stdout.contains("Try it:"), "{}", output.stdout);
    output.stderr
}

/// Returns the flags of a command line without their values.
fn flags(line: &str) -> Vec<&str> {
    let flags = line.split_whitespace().filter(|word| word.starts_with("--"));
    flags.map(|flag| flag.split('=').next().unwrap_or_default()).collect()
}

#[test]
fn warns_once_about_all_ignored_flags() {
    let folder = write_folder(&[("a.yaml", VALID)]);
    let resources = ["--resources-path", folder.to_str().unwrap()];
    let log = start_log(&words(&format!("{COMMAND_LINE}{SUPPORTED}")), &resources);
    let [warning, serving] = log.lines().collect::<Vec<_>>()[..] else {
        panic!("two lines: {log}")
    };
    assert_eq!(
        serving.trim(),
        "INFO serving as daprd does when it says: Internal gRPC server is running"
    );
    let (message, ignored) = warning.split_once(": ").unwrap();
    assert_eq!(message.trim(), "WARN ignoring daprd flags that mynah does not support");
    assert_eq!(ignored.split(", ").collect::<Vec<_>>(), flags(COMMAND_LINE));
}

/// daprd accepts `-app-id` as well as `--app-id`.
#[test]
fn accepts_flags_with_one_dash() {
    let single = format!("{COMMAND_LINE}{SUPPORTED}").replace("--", "-");
    assert_eq!(start_log(&words(&single), &[]).lines().count(), 2);
}

/// Flags of daprd that mynah supports, and that the tests above leave out.
const ALSO_SUPPORTED: [&str; 7] = [
    "--dapr-grpc-port",
    "--dapr-http-port",
    "--enable-metrics",
    "--log-as-json",
    "--resources-path",
    "--unix-domain-socket",
    "--version",
];

#[needs("daprd")]
#[test]
fn daprd_has_these_flags() {
    toolchain::suite("daprd", || {
        let daprd = toolchain::daprd()?;
        let run = |args: &[String]| child::run(Command::new(&daprd).args(args));
        let help = run(&["--help".to_owned()]);
        let help = help.stdout + &help.stderr;
        let known = [flags(COMMAND_LINE), flags(SUPPORTED), ALSO_SUPPORTED.to_vec()].concat();
        let listed = help.lines().filter_map(|line| line.split_whitespace().next());
        let listed: Vec<_> = listed.filter(|word| word.starts_with("--")).collect();
        assert!(listed.len() > 40, "{help}");
        let unknown: Vec<_> = listed.into_iter().filter(|flag| !known.contains(flag)).collect();
        assert!(unknown.is_empty(), "mynah rejects {unknown:?}");
        // The help does not list deprecated flags. The first unknown flag is an error.
        let error = run(&words(&format!("{COMMAND_LINE}{SUPPORTED} --unknown"))).stderr;
        assert!(error.contains("unknown flag: --unknown"), "{error}");
        Ok(())
    });
}

#[test]
fn accepts_all_forms_of_ignored_booleans() {
    let booleans: Vec<_> =
        flags(COMMAND_LINE).into_iter().skip_while(|flag| *flag != "--app-ssl").collect();
    assert_eq!(booleans.len(), 8);
    for form in ["", "=true", "=false"] {
        let line: Vec<_> = booleans.iter().map(|flag| format!("{flag}{form}")).collect();
        let log = start_log(&line, &["--metrics-port=0"]);
        let warning = log.lines().next().unwrap();
        assert!(warning.ends_with(&booleans.join(", ")), "{form}: {log}");
    }
}

/// As in Go, `--enable-metrics false` is not a valid form.
#[test]
fn accepts_all_forms_of_supported_booleans() {
    for (flag, metrics) in
        [("--enable-metrics", true), ("--enable-metrics=T", true), ("--enable-metrics=0", false)]
    {
        let banner = start_and_stop(&["--metrics-port=0", flag]).stdout;
        assert_eq!(banner.contains("  metrics "), metrics, "{flag}");
    }
    for (flag, json) in
        [("--log-as-json", true), ("--log-as-json=true", true), ("--log-as-json=False", false)]
    {
        let output = start_and_stop(&["--metrics-port=0", flag]);
        assert_eq!(
            (output.stdout.is_empty(), output.stderr.starts_with('{')),
            (json, json),
            "{flag}"
        );
    }
}

/// Compose files and Testcontainers modules begin the command of daprd's image with the program.
#[test]
fn accepts_the_name_of_daprd_as_a_command() {
    for name in ["daprd", "./daprd", "/daprd"] {
        let addresses = scratch("addresses").join("addresses.json");
        let mut command = mynah();
        command.args([name, "-app-id", "shop", "-dapr-grpc-port=0", "-dapr-http-port=0"]);
        command.arg("-metrics-port=0").arg("--addresses-file").arg(&addresses);
        let output = Process::start(&mut command).stop(&addresses);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        assert!(output.stdout.contains("Try it:"), "{}", output.stdout);
    }
}

#[test]
fn accepts_several_resources_paths() {
    let (one, two) = (
        write_folder(&[("a.yaml", VALID)]),
        write_folder(&[("b.yaml", &VALID.replace("parrot", "jay"))]),
    );
    let [one, two] = [&one, &two].map(|folder| folder.to_str().unwrap());
    let both = format!("{one},{two}");
    for args in [
        ["--resources-path", one, "--resources-path", two].as_slice(),
        &["--components-path", one, "--resources-path", two],
        &["--resources-path", &both],
    ] {
        let banner = start_and_stop(&[args, &["--metrics-port=0"]].concat()).stdout;
        assert!(banner.contains("components jay (") && banner.contains(" parrot ("), "{banner}");
    }
}
