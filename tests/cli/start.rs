//! Tests of the banner, the log and startup errors.

use insta::assert_snapshot;
use serde_json::Value;

use super::{
    INVALID, STATE_STORE, VALID, WITH_WARNING, redact_folder, redact_ports, report, write_folder,
};
use crate::support::{
    mynah,
    process::{Process, occupied_port, run, start_and_stop},
    scratch,
};

/// Starts and stops a sidecar.
fn start(args: &[&str]) -> String {
    redact_ports(&report(&start_and_stop(&[&["--metrics-port=0"], args].concat())))
}

/// Starts and stops a sidecar with a resources folder.
fn start_with(files: &[(&str, &str)], args: &[&str]) -> String {
    let folder = write_folder(files);
    let resources = ["--resources-path", folder.to_str().unwrap()];
    redact_folder(&start(&[&resources[..], args].concat()), &folder)
}

#[test]
fn banner() {
    assert_snapshot!(start(&[]), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      inspector  http://127.0.0.1:[port]/mynah/
      metrics    http://127.0.0.1:[port]/metrics
      components echo (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"echo","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- exit 0
    "#);
}

#[test]
fn banner_without_metrics() {
    assert_snapshot!(start(&["--enable-metrics=false"]), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      inspector  http://127.0.0.1:[port]/mynah/
      components echo (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"echo","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- exit 0
    "#);
}

#[test]
fn banner_with_several_components() {
    let quoted = VALID.replace("parrot", "it's");
    let files = [("a.yaml", VALID), ("b.yml", &quoted), ("c.yaml", STATE_STORE), ("notes.txt", "")];
    assert_snapshot!(start_with(&files, &[]), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      inspector  http://127.0.0.1:[port]/mynah/
      metrics    http://127.0.0.1:[port]/metrics
      components it's (conversation.echo)
                 parrot (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"it'\''s","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- stderr
     INFO [folder]/c.yaml:1:1: skipped: component store has type state.redis, which is not a conversation type
     INFO [folder]/notes.txt: skipped: not a .yaml or .yml file
    -- exit 0
    "#);
}

#[test]
fn banner_with_stand_in() {
    let other = VALID.replace("conversation.echo", "conversation.openai");
    let args = ["--stand-in=echo", "--enable-metrics=false"];
    assert_snapshot!(start_with(&[("a.yaml", &other)], &args), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      inspector  http://127.0.0.1:[port]/mynah/
      components parrot (conversation.openai, answered by echo)

    Try it:
      grpcurl -plaintext -d '{"name":"parrot","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- exit 0
    "#);
}

#[test]
fn banner_without_components() {
    assert_snapshot!(start_with(&[], &[]), @"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      inspector  http://127.0.0.1:[port]/mynah/
      metrics    http://127.0.0.1:[port]/metrics
      components none: no conversation components found in --resources-path
    -- exit 0
    ");
}

#[test]
fn logs_component_warnings() {
    assert_snapshot!(start_with(&[("odd.yaml", WITH_WARNING)], &[]), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      inspector  http://127.0.0.1:[port]/mynah/
      metrics    http://127.0.0.1:[port]/metrics
      components odd (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"odd","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- stderr
     WARN [folder]/odd.yaml:9:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    -- exit 0
    "#);
}

#[test]
fn log_level_filters_notices() {
    let files = [("odd.yaml", WITH_WARNING), ("notes.txt", "")];
    let log = |level| start_with(&files, &["--log-level", level]);
    let has = |log: &str| (log.contains(" INFO "), log.contains(" WARN "));
    assert_eq!(has(&log("info")), (true, true));
    assert_eq!(has(&log("warn")), (false, true));
    assert_eq!(has(&log("warning")), (false, true), "daprd's alias");
    assert_eq!(has(&log("error")), (false, false));
}

#[test]
fn warns_once_about_ignored_flags() {
    let args = ["--mode=standalone", "--app-port", "80", "--config", "a", "--config", "b"];
    assert_snapshot!(start(&args), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      inspector  http://127.0.0.1:[port]/mynah/
      metrics    http://127.0.0.1:[port]/metrics
      components echo (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"echo","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- stderr
     WARN ignoring daprd flags that mynah does not support: --app-port, --config, --mode
     INFO serving as daprd does when it says: Internal gRPC server is running
    -- exit 0
    "#);
}

/// mynah prints all problems, not only the first one.
#[test]
fn fails_if_components_are_invalid() {
    assert_snapshot!(start_with(&[("bad.yaml", INVALID), ("torn.yaml", "a: [b")], &[]), @r#"
    -- stderr
    mynah: the configuration cannot be loaded:
      [folder]/bad.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
      [folder]/bad.yaml:15:12: unknown spec.version "v7" for conversation.echo; expected v1
      [folder]/bad.yaml:18:12: chunkDelay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s
      [folder]/torn.yaml:1:4: not valid YAML: unclosed bracket '['
    -- exit 1
    "#);
}

#[test]
fn fails_if_folder_is_missing() {
    let folder = write_folder(&[]);
    let missing = folder.join("nothing");
    let report = start(&["--resources-path", missing.to_str().unwrap()]);
    assert_snapshot!(redact_folder(&report, &folder), @"
    -- stderr
    mynah: the configuration cannot be loaded:
      [folder]/nothing: cannot be read: No such file or directory (os error 2)
    -- exit 1
    ");
}

#[test]
fn fails_if_port_is_in_use() {
    let occupied_port = occupied_port();
    let port = occupied_port.local_addr().unwrap().port().to_string();
    let output = run(&["--dapr-http-port=0", "--metrics-port=0", "--dapr-grpc-port", &port]);
    assert_snapshot!(redact_ports(&report(&output)), @"
    -- stderr
    mynah: cannot listen on 127.0.0.1:[port]: the port is in use; choose another port with --dapr-grpc-port (0 picks a free one)
    -- exit 1
    ");
}

#[test]
fn logs_json() {
    let folder = write_folder(&[("a.yaml", VALID), ("odd.yaml", WITH_WARNING)]);
    let resources = ["--resources-path", folder.to_str().unwrap()];
    let args = ["--log-as-json", "--metrics-port=0", "--mode", "standalone"];
    let output = start_and_stop(&[&args[..], &resources].concat());
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "the banner is in the log");
    let lines: Vec<_> = output.stderr.lines().map(remove_timestamp).collect();
    assert_snapshot!(redact_ports(&redact_folder(&lines.join("\n"), &folder)), @r#"
    {"level":"WARN","message":"ignoring daprd flags that mynah does not support: --mode","target":"mynah::cli"}
    {"level":"WARN","message":"[folder]/odd.yaml:9:5: unknown metadata key \"key\" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history","target":"mynah::server::reload"}
    {"components":"odd,parrot","grpc":"127.0.0.1:[port]","http":"127.0.0.1:[port]","inspector":"http://127.0.0.1:[port]/mynah/","level":"INFO","message":"serving","metrics":"127.0.0.1:[port]","target":"mynah::server::banner"}
    {"level":"INFO","message":"serving as daprd does when it says: Internal gRPC server is running","target":"mynah::cli::serve"}
    "#);
}

/// Removes the timestamp from a JSON log line.
fn remove_timestamp(line: &str) -> String {
    let mut line: Value = serde_json::from_str(line).expect("JSON");
    let time = line.as_object_mut().expect("an object").remove("timestamp").expect("a time");
    let time = time.as_str().expect("text");
    assert!(time.len() == 27 && time.ends_with('Z'), "not RFC 3339 in UTC: {time}");
    line.to_string()
}

/// The reader of a pipe may exit first, as in `mynah | head -1`.
#[test]
fn ignores_closed_output() {
    let file = scratch("unread").join("addresses.json");
    let free = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0", "--mode=x"];
    let mut serve = mynah();
    serve.args(free).arg("--addresses-file").arg(&file);
    let output = Process::start_with_closed_output(&mut serve).stop(&file);
    assert_eq!(output.code, Some(0));
    let mut check = mynah();
    check.args(["check", "/dev/null/nothing"]);
    assert_eq!(Process::start_with_closed_output(&mut check).wait().code, Some(1));
    let mut broken = mynah();
    broken.arg("--max-body-size=0");
    assert_eq!(Process::start_with_closed_output(&mut broken).wait().code, Some(64));
}
