//! What it says when it starts, and why it does not.

use insta::assert_snapshot;
use serde_json::Value;

use super::{BAD, GOOD, ODD, OTHER, folder, report, without_folder, without_ports};
use crate::support::{
    mynah,
    process::{Process, occupied_port, run, start_and_stop},
    scratch,
};

/// What a sidecar says that starts, serves and stops.
fn started(args: &[&str]) -> String {
    without_ports(&report(&start_and_stop(&[&["--metrics-port=0"], args].concat())))
}

/// The same, with a folder of components.
fn started_with(files: &[(&str, &str)], args: &[&str]) -> String {
    let folder = folder(files);
    let resources = ["--resources-path", folder.to_str().unwrap()];
    without_folder(&started(&[&resources[..], args].concat()), &folder)
}

#[test]
fn the_banner() {
    assert_snapshot!(started(&[]), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      metrics    http://127.0.0.1:[port]/metrics
      components echo (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"echo","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- exit 0
    "#);
}

#[test]
fn the_banner_without_metrics() {
    assert_snapshot!(started(&["--enable-metrics=false"]), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      components echo (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"echo","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- exit 0
    "#);
}

#[test]
fn the_banner_of_several_components() {
    let quoted = GOOD.replace("parrot", "it's");
    let files = [("a.yaml", GOOD), ("b.yml", &quoted), ("c.yaml", OTHER), ("notes.txt", "")];
    assert_snapshot!(started_with(&files, &[]), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      metrics    http://127.0.0.1:[port]/metrics
      components it's (conversation.echo)
                 parrot (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"it'\''s","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- stderr
     INFO [folder]/c.yaml:1:1: skipped: component store has type state.redis
     INFO [folder]/notes.txt: skipped: not a .yaml or .yml file
    -- exit 0
    "#);
}

#[test]
fn the_banner_of_a_stand_in() {
    let other = GOOD.replace("conversation.echo", "conversation.openai");
    let args = ["--stand-in=echo", "--enable-metrics=false"];
    assert_snapshot!(started_with(&[("a.yaml", &other)], &args), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      components parrot (conversation.openai, answered by echo)

    Try it:
      grpcurl -plaintext -d '{"name":"parrot","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- exit 0
    "#);
}

#[test]
fn a_folder_without_components() {
    assert_snapshot!(started_with(&[], &[]), @"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      metrics    http://127.0.0.1:[port]/metrics
      components none: the resources folders hold no conversation component
    -- exit 0
    ");
}

#[test]
fn warnings_of_components() {
    assert_snapshot!(started_with(&[("odd.yaml", ODD)], &[]), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      metrics    http://127.0.0.1:[port]/metrics
      components odd (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"odd","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- stderr
     WARN [folder]/odd.yaml:9:5: unknown metadata key "key" of conversation.echo; expected one of: mode, model, chunkDelay, arguments, chains, piiScrubber
    -- exit 0
    "#);
}

#[test]
fn the_log_level_counts() {
    let files = [("odd.yaml", ODD), ("notes.txt", "")];
    let log = |level| started_with(&files, &["--log-level", level]);
    let has = |log: &str| (log.contains(" INFO "), log.contains(" WARN "));
    assert_eq!(has(&log("info")), (true, true));
    assert_eq!(has(&log("warn")), (false, true));
    assert_eq!(has(&log("warning")), (false, true), "daprd's other word for it");
    assert_eq!(has(&log("error")), (false, false));
}

#[test]
fn flags_of_daprd_are_one_warning() {
    let args = ["--mode=standalone", "--app-port", "80", "--config", "a", "--config", "b"];
    assert_snapshot!(started(&args), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      metrics    http://127.0.0.1:[port]/metrics
      components echo (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"echo","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- stderr
     WARN ignoring daprd flags that mynah does not support: --app-port, --config, --mode
    -- exit 0
    "#);
}

/// All problems at once, so that one run is enough to mend them.
#[test]
fn bad_components_end_the_start() {
    assert_snapshot!(started_with(&[("bad.yaml", BAD), ("torn.yaml", "a: [b")], &[]), @r#"
    -- stderr
    mynah: the components cannot be loaded:
      [folder]/bad.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo
      [folder]/bad.yaml:15:12: unknown spec.version "v7" of conversation.echo; expected v1
      [folder]/bad.yaml:18:12: chunkDelay: "fast" is not a duration; write it as Go does, such as 50ms or 1.5s
      [folder]/torn.yaml:1:4: not valid YAML: unclosed bracket '['
    -- exit 1
    "#);
}

#[test]
fn a_missing_folder_ends_the_start() {
    let folder = folder(&[]);
    let missing = folder.join("nothing");
    let said = started(&["--resources-path", missing.to_str().unwrap()]);
    assert_snapshot!(without_folder(&said, &folder), @"
    -- stderr
    mynah: the components cannot be loaded:
      [folder]/nothing: cannot be read: No such file or directory (os error 2)
    -- exit 1
    ");
}

#[test]
fn a_port_in_use_ends_the_start() {
    let occupied_port = occupied_port();
    let port = occupied_port.local_addr().unwrap().port().to_string();
    let ended = run(&["--dapr-http-port=0", "--metrics-port=0", "--dapr-grpc-port", &port]);
    assert_snapshot!(without_ports(&report(&ended)), @"
    -- stderr
    mynah: cannot listen on 127.0.0.1:[port]: the port is in use; --dapr-grpc-port sets the port, 0 takes any that is free
    -- exit 1
    ");
}

#[test]
fn logs_in_json() {
    let folder = folder(&[("a.yaml", GOOD), ("odd.yaml", ODD)]);
    let resources = ["--resources-path", folder.to_str().unwrap()];
    let args = ["--log-as-json", "--metrics-port=0", "--mode", "standalone"];
    let ended = start_and_stop(&[&args[..], &resources].concat());
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "all is in the log");
    let lines: Vec<_> = ended.stderr.lines().map(without_time).collect();
    assert_snapshot!(without_ports(&without_folder(&lines.join("\n"), &folder)), @r#"
    {"level":"WARN","message":"ignoring daprd flags that mynah does not support: --mode","target":"mynah::cli::args::serve"}
    {"level":"WARN","message":"[folder]/odd.yaml:9:5: unknown metadata key \"key\" of conversation.echo; expected one of: mode, model, chunkDelay, arguments, chains, piiScrubber","target":"mynah::server::reload"}
    {"components":"odd,parrot","grpc":"127.0.0.1:[port]","http":"127.0.0.1:[port]","level":"INFO","message":"serving","metrics":"127.0.0.1:[port]","target":"mynah::server::banner"}
    "#);
}

/// A line of the log, which must be JSON with a timestamp, without that.
fn without_time(line: &str) -> String {
    let mut line: Value = serde_json::from_str(line).expect("a line in JSON");
    let time = line.as_object_mut().expect("an object").remove("timestamp").expect("a time");
    let time = time.as_str().expect("text");
    assert!(time.len() == 27 && time.ends_with('Z'), "in UTC, as RFC 3339 writes it: {time}");
    line.to_string()
}

/// As where the reader of a pipe has gone: `mynah | head -1`.
#[test]
fn nobody_has_to_read_what_it_says() {
    let file = scratch("unread").join("addresses.json");
    let free = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0", "--mode=x"];
    let mut serve = mynah();
    serve.args(free).arg("--addresses-file").arg(&file);
    let ended = Process::start_with_closed_output(&mut serve).stop(&file);
    assert_eq!(ended.code, Some(0));
    let mut check = mynah();
    check.args(["check", "/dev/null/nothing"]);
    assert_eq!(Process::start_with_closed_output(&mut check).wait().code, Some(1));
    let mut broken = mynah();
    broken.arg("--max-body-size=0");
    assert_eq!(Process::start_with_closed_output(&mut broken).wait().code, Some(64));
}
