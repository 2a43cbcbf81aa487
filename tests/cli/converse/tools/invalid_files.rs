//! Tests of invalid tools files.

use insta::assert_snapshot;

use super::tools_file;
use crate::{
    cli::{redact_folder, report},
    support::{mynah, process::Process},
};

/// Returns the error for a tools file. No sidecar is running.
fn error(yaml: &str) -> String {
    let file = tools_file(yaml);
    let mut command = mynah();
    command.args(["converse", "Hello!", "--tools"]).arg(&file);
    let report = report(&Process::start(&mut command).wait());
    let report = redact_folder(&report, file.parent().unwrap());
    let report = report.strip_prefix("-- stderr\nmynah: ").expect("an error");
    report.strip_suffix("\n-- exit 1").expect("a failure").to_owned()
}

/// Returns the error for a tool with these keys in addition to its name.
fn tool_error(keys: &str) -> String {
    error(&format!("tools:\n- name: f\n  {keys}\n"))
}

#[test]
fn invalid_structure() {
    assert_snapshot!(error(""), @"[folder]/tools.yaml:1:1: the key `tools` is missing");
    assert_snapshot!(error("tools: f"), @r#"[folder]/tools.yaml:1:8: must be a list, not "f""#);
    assert_snapshot!(error("tools: []\nlimits: {}"), @"[folder]/tools.yaml:2:1: unknown key `limits`; expected one of `$schema`, `defaults`, `allow`, `tools`");
    assert_snapshot!(error("defaults: {tries: 1}\ntools: []"), @"[folder]/tools.yaml:1:12: unknown key `tries`; expected one of `timeout`, `retries`, `max_result`");
    assert_snapshot!(error("tools: []\n---\ntools: []"), @"[folder]/tools.yaml:2:1: the file must be one document; remove the line `---`");
    assert_snapshot!(error("tools: [{name: f, command: [a]"), @"[folder]/tools.yaml:1:9: not valid YAML: unclosed bracket '{'");
    assert_snapshot!(error("{\"tools\": [\n{\"name\": \"f\", \"command\": [\"a\"], \"cache\": 5}]}"), @"[folder]/tools.yaml:2:42: must be a mapping, not 5");
}

#[test]
fn invalid_tool_kind() {
    assert_snapshot!(tool_error("description: no kind"), @r#"[folder]/tools.yaml:2:3: the tool "f" needs exactly one of command, http, static and mcp"#);
    assert_snapshot!(error("tools:\n- mcp: {comand: [python3, server.py]}"), @"[folder]/tools.yaml:2:9: unknown key `comand`; expected one of `command`, `url`, `headers`, `include`, `prefix`");
    assert_snapshot!(error("tools:\n- mcp: {include: [read]}"), @"[folder]/tools.yaml:2:8: mcp needs exactly one of command and url");
    assert_snapshot!(error("tools:\n- command: [date]"), @"[folder]/tools.yaml:2:3: the key `name` is missing");
    assert_snapshot!(tool_error("comand: [date]"), @"[folder]/tools.yaml:3:3: unknown key `comand`; expected one of `name`, `description`, `parameters`, `repeatable`, `cache`, `timeout`, `retries`, `max_result`, `command`, `http`, `static`, `mcp`");
    assert_snapshot!(tool_error("command: cat -n"), @"[folder]/tools.yaml:3:12: must be a list, such as [cat] or [sh, -c, ...]");
    assert_snapshot!(tool_error("command: {cat: -n}"), @"[folder]/tools.yaml:3:12: must be a list, such as [python3, tool.py], not a mapping");
    assert_snapshot!(tool_error("command:"), @r#"[folder]/tools.yaml:2:3: the tool "f" needs exactly one of command, http, static and mcp"#);
    assert_snapshot!(tool_error("command: []"), @"[folder]/tools.yaml:3:12: the program is missing; expected a list such as [python3, tool.py]");
}

#[test]
fn invalid_static_results() {
    assert_snapshot!(tool_error("static: []"), @"[folder]/tools.yaml:2:3: static is empty; expected a list of results");
    assert_snapshot!(tool_error("static: [{match: {args: {}}}]"), @"[folder]/tools.yaml:3:12: expected exactly one of result and error");
    assert_snapshot!(tool_error("static: [{match: {user: hi}, result: 1}]"), @"[folder]/tools.yaml:3:21: unknown key `user`; expected `args`");
    assert_snapshot!(tool_error("static: [{match: {args: {id: {matches: '('}}}, result: 1}]"), @r#"[folder]/tools.yaml:3:32: the pattern "(" is invalid: unclosed group"#);
}

#[test]
fn invalid_limits() {
    assert_snapshot!(tool_error("timeout: soon"), @r#"[folder]/tools.yaml:3:12: "soon" is not a duration; use Go's format, such as 50ms or 1.5s"#);
    assert_snapshot!(tool_error("timeout: 0s"), @r#"[folder]/tools.yaml:3:12: "0s" is too short; use a duration above 0s, such as 500ms or 10s"#);
    assert_snapshot!(tool_error("timeout: -5s"), @r#"[folder]/tools.yaml:3:12: "-5s" is too short; use a duration above 0s, such as 500ms or 10s"#);
    assert_snapshot!(tool_error("timeout: 10"), @r#"[folder]/tools.yaml:3:12: "10" has no unit; add one, such as 10s"#);
    assert_snapshot!(tool_error("retries: 11"), @r#"[folder]/tools.yaml:3:12: "11" is not a number from 0 to 10"#);
    assert_snapshot!(tool_error("retries: -1"), @r#"[folder]/tools.yaml:3:12: "-1" is not a number from 0 to 10"#);
    assert_snapshot!(tool_error("max_result: 4MB"), @r#"[folder]/tools.yaml:3:15: "4MB" is not a size; expected 1 to 16Mi bytes, such as 65536, 64Ki or 1Mi"#);
    assert_snapshot!(tool_error("max_result: 17Mi"), @r#"[folder]/tools.yaml:3:15: "17Mi" is not a size; expected 1 to 16Mi bytes, such as 65536, 64Ki or 1Mi"#);
    assert_snapshot!(tool_error("cache: {ttl: for ever}"), @r#"[folder]/tools.yaml:3:16: "for ever" is not a duration; use Go's format, such as 50ms or 1.5s"#);
    assert_snapshot!(tool_error("repeatable: maybe"), @r#"[folder]/tools.yaml:3:15: must be true or false, not "maybe""#);
    assert_snapshot!(tool_error("timeout: 1s\n  timeout: 2s"), @r#"[folder]/tools.yaml:4:3: duplicate key "timeout"; first used in line 3"#);
}

#[test]
fn invalid_name_or_parameters() {
    assert_snapshot!(error("tools: [{name: get weather, command: [date]}]"), @r#"[folder]/tools.yaml:1:9: invalid tool name "get weather"; expected 1 to 64 ASCII letters, digits, _ or -"#);
    assert_snapshot!(error("tools: [{name: f, command: [a]}, {name: f, command: [b]}]"), @"[folder]/tools.yaml:1:34: a tool named f is already registered");
    assert_snapshot!(tool_error("command: [a]\n  parameters: [location]"), @"[folder]/tools.yaml:4:15: must be a mapping, not a list");
    assert_snapshot!(tool_error("command: [a]\n  parameters: {type: string}"), @r#"[folder]/tools.yaml:2:3: invalid parameter schema of f: arguments must be of type "object", not "string""#);
    assert_snapshot!(tool_error("command: [a]\n  parameters: {type: object, properties: {a: {type: text}}}"), @r#"[folder]/tools.yaml:2:3: invalid parameter schema of f: "text" is not valid under any of the schemas listed in the 'anyOf' keyword"#);
}

#[test]
fn missing_file() {
    let mut command = mynah();
    command.args(["converse", "Hello!", "--tools", "target/nothing.yaml"]);
    assert_snapshot!(report(&Process::start(&mut command).wait()), @"
    -- stderr
    mynah: target/nothing.yaml: cannot be read: No such file or directory (os error 2)
    -- exit 1
    ");
}
