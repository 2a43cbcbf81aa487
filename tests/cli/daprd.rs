//! A script that starts daprd starts mynah by changing one word.

use super::{GOOD, folder};
use crate::support::process::start_and_stop;

/// Every flag of daprd 1.18 that mynah has no use for, as scripts and `dapr run` write them.
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
    --disable-init-endpoints metadata --kubeconfig ~/.kube/config
    --metrics-listen-address 127.0.0.1 --mode standalone
    --placement-host-address localhost:50005 --profile-port 7777 --read-buffer-size 4Ki
    --reminders-service default --scheduler-host-address localhost:50006
    --scheduler-job-streams 3 --sentry-address localhost:50001
    --sentry-request-jwt-audiences mynah
    --app-ssl --build-info=false --disable-builtin-k8s-secret-store=true
    --enable-api-logging --enable-app-health-check=false --enable-mtls=true
    --enable-profiling --log-enable-colors=false --wait=false";

/// The flags that mynah heeds.
const HEEDED: &str = "
    --app-id shop --metrics-port 0 --max-body-size 8Mi --dapr-graceful-shutdown-seconds 7
    --dapr-listen-addresses 127.0.0.1 --log-level info";

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn starts(line: &[String], more: &[&str]) -> String {
    let args: Vec<_> = line.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let ended = start_and_stop(&args);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Try it:"), "{}", ended.stdout);
    ended.stderr
}

/// The flags of a command line, without their values.
fn flags(line: &str) -> Vec<&str> {
    let flags = line.split_whitespace().filter(|word| word.starts_with("--"));
    flags.map(|flag| flag.split('=').next().unwrap_or_default()).collect()
}

#[test]
fn a_whole_command_line_of_daprd_starts_mynah() {
    let folder = folder(&[("a.yaml", GOOD)]);
    let resources = ["--resources-path", folder.to_str().unwrap()];
    let log = starts(&words(&format!("{COMMAND_LINE}{HEEDED}")), &resources);
    let [warning] = log.lines().collect::<Vec<_>>()[..] else { panic!("one line: {log}") };
    let (what, named) = warning.split_once(": ").unwrap();
    assert_eq!(what.trim(), "WARN ignoring daprd flags that mynah does not support");
    assert_eq!(named.split(", ").collect::<Vec<_>>(), flags(COMMAND_LINE));
}

/// daprd takes `-app-id` as well as `--app-id`.
#[test]
fn one_dash_is_enough() {
    let single = format!("{COMMAND_LINE}{HEEDED}").replace("--", "-");
    assert_eq!(starts(&words(&single), &[]).lines().count(), 1);
}

#[test]
fn every_flag_that_is_accepted_is_in_the_command_line() {
    let source =
        include_str!("../../src/cli/args/daprd_flags.rs").split("#[cfg(test)]").next().unwrap();
    let lists = source.lines().filter_map(|line| line.strip_prefix("    \"")?.strip_suffix("\","));
    let known: Vec<_> = lists.map(|name| format!("--{name}")).collect();
    assert_eq!(known, flags(COMMAND_LINE));
}

#[test]
fn booleans_come_in_three_forms() {
    let booleans: Vec<_> =
        flags(COMMAND_LINE).into_iter().skip_while(|flag| *flag != "--app-ssl").collect();
    assert_eq!(booleans.len(), 9);
    for form in ["", "=true", "=false"] {
        let line: Vec<_> = booleans.iter().map(|flag| format!("{flag}{form}")).collect();
        let log = starts(&line, &["--metrics-port=0"]);
        assert!(log.trim_end().ends_with(&booleans.join(", ")), "{form}: {log}");
    }
}

/// The two booleans that mynah heeds; `--enable-metrics false` is not the third form, in Go either.
#[test]
fn heeded_booleans_come_in_three_forms() {
    for (flag, metrics) in
        [("--enable-metrics", true), ("--enable-metrics=T", true), ("--enable-metrics=0", false)]
    {
        let banner = start_and_stop(&["--metrics-port=0", flag]).stdout;
        assert_eq!(banner.contains("  metrics "), metrics, "{flag}");
    }
    for (flag, json) in
        [("--log-as-json", true), ("--log-as-json=true", true), ("--log-as-json=False", false)]
    {
        let ended = start_and_stop(&["--metrics-port=0", flag]);
        assert_eq!(
            (ended.stdout.is_empty(), ended.stderr.starts_with('{')),
            (json, json),
            "{flag}"
        );
    }
}

#[test]
fn folders_of_components_may_be_many() {
    let (one, two) =
        (folder(&[("a.yaml", GOOD)]), folder(&[("b.yaml", &GOOD.replace("parrot", "jay"))]));
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
