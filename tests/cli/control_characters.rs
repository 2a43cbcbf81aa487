//! Line breaks and other control characters in names, paths, arguments and requests. No text from
//! outside may forge a line of a log or a report, or control a terminal.

use insta::assert_snapshot;
use serde_json::json;

use super::{VALID, redact_folder, redact_ports, report, run_report, write_folder};
use crate::support::{
    Sidecar,
    messages::{prompt, tool},
    process::{start_and_stop, wait_until},
    scratch,
};

const FORGED: &str = "x\nERROR forged\u{1b}[2J\u{9b}1m";

/// Returns a component whose name and type contain control characters.
fn component() -> String {
    let text = format!("\"{}\"", FORGED.escape_default());
    VALID.replace("parrot", &text.replace("\\u{1b}", "\\e").replace("\\u{9b}", "\\x9b"))
}

#[test]
fn are_escaped_in_reports() {
    let invalid = component().replace("conversation.echo", "\"conversation.\\nERROR\"");
    let folder = write_folder(&[("a\nERROR b.yaml", &invalid), ("c\r.txt", "")]);
    let report = run_report(&["check", folder.to_str().unwrap()]);
    assert_snapshot!(redact_folder(&report, &folder), @r#"
    [folder]/a\nERROR b.yaml:6:9: unknown spec.type "conversation.\nERROR"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
    [folder]/c\r.txt: skipped: not a .yaml or .yml file
    1 component, 1 error, 0 warnings
    -- exit 1
    "#);
}

#[test]
fn are_escaped_in_errors_at_start() {
    let invalid = component().replace("conversation.echo", "conversation.ecko");
    let folder = write_folder(&[("a\nERROR b.yaml", &invalid)]);
    let output = start_and_stop(&["--resources-path", folder.to_str().unwrap()]);
    assert_snapshot!(redact_folder(&report(&output), &folder), @r#"
    -- stderr
    mynah: the configuration cannot be loaded:
      [folder]/a\nERROR b.yaml:6:9: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
    -- exit 1
    "#);
    let folder = scratch("missing");
    let file = folder.join("a\nERROR b").join("addresses.json");
    let free = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"];
    let file = ["--addresses-file", file.to_str().unwrap()];
    assert_snapshot!(redact_folder(&run_report(&[&free[..], &file].concat()), &folder), @r"
    -- stderr
    mynah: cannot write the addresses to [folder]/a\nERROR b/addresses.json: No such file or directory (os error 2)
    -- exit 1
    ");
}

#[test]
fn are_escaped_in_the_banner_and_the_log() {
    let folder = write_folder(&[("a.yaml", &component()), ("b\nERROR c.txt", "")]);
    let args = ["--metrics-port=0", "--resources-path", folder.to_str().unwrap()];
    let output = redact_folder(&report(&start_and_stop(&args)), &folder);
    assert_snapshot!(redact_ports(&output), @r#"
    mynah [version]: Dapr conversations without a model

      gRPC       127.0.0.1:[port]
      HTTP       http://127.0.0.1:[port]
      inspector  http://127.0.0.1:[port]/mynah/
      metrics    http://127.0.0.1:[port]/metrics
      components x\nERROR forged\u{1b}[2J\u{9b}1m (conversation.echo)

    Try it:
      grpcurl -plaintext -d '{"name":"x\nERROR forged\u001b[2J\u009b1m","inputs":[{"messages":[{"ofUser":{"content":[{"text":"Hello, mynah!"}]}}]}]}' 127.0.0.1:[port] dapr.proto.runtime.v1.Dapr/ConverseAlpha2
    -- stderr
     INFO [folder]/b\nERROR c.txt: skipped: not a .yaml or .yml file
    -- exit 0
    "#);
    let output = start_and_stop(&[&args[..], &["--log-as-json"]].concat());
    let lines: Vec<serde_json::Value> =
        output.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{}", output.stderr);
    assert_eq!(lines[1]["components"], FORGED);
    assert!(!output.stderr.contains(['\u{9b}', '\u{1b}']), "{}", output.stderr);
}

#[tokio::test]
async fn are_escaped_in_logged_requests() {
    let sidecar = Sidecar::start();
    let schema = json!({"type": "object", "required": [FORGED],
        "properties": {FORGED: {"type": "string", "pattern": "(?=never)"}}});
    let request = prompt("call f", [tool("f", schema)]);
    sidecar.converse(request).await.unwrap();
    let logged = async || sidecar.log().contains("may violate").then_some(());
    wait_until(logged, "the log has no warning").await;
    assert_snapshot!(sidecar.log(), @r#" WARN arguments may violate the tool's schema: /x\nERROR forged\x1b[2J\u{9b}1m: pattern "(?=never)" is not supported tool="f""#);
}

#[test]
fn are_escaped_in_errors_of_the_command_line() {
    let cases: [&[&str]; 6] = [
        &["--x\nERROR forged\u{1b}[2J"],
        &["x\nERROR forged"],
        &["check", "a", "--stand-in=x\nERROR"],
        &["--dapr-grpc-port", "x\nERROR"],
        &["converse", "--temperature", "\u{9b}1m"],
        &["--max-body-size", "x\nERROR"],
    ];
    let reports: Vec<_> = cases.into_iter().map(run_report).collect();
    assert_snapshot!(reports.join("\n\n"), @r#"
    -- stderr
    error: unexpected argument '--x\nERROR forged\u{1b}[2J' found

    Usage: mynah [OPTIONS]
           mynah <COMMAND>

    For more information, try '--help'.
    -- exit 64

    -- stderr
    error: unrecognized subcommand 'x\nERROR forged'

    Usage: mynah [OPTIONS]
           mynah <COMMAND>

    For more information, try '--help'.
    -- exit 64

    -- stderr
    error: invalid value 'x\nERROR' for '--stand-in <PROVIDER>'
      [possible values: echo, scripted]

    For more information, try '--help'.
    -- exit 64

    -- stderr
    error: invalid value 'x\nERROR' for '--dapr-grpc-port <PORT>': invalid digit found in string

    For more information, try '--help'.
    -- exit 64

    -- stderr
    error: invalid value '\u{9b}1m' for '--temperature <NUMBER>': invalid float literal

    For more information, try '--help'.
    -- exit 64

    -- stderr
    mynah: invalid value "x\nERROR" for --max-body-size: expected a size, such as 4194304, 512Ki, 4Mi or 1G
    -- exit 64
    "#);
}
