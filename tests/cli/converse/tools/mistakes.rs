//! Files of tools that are none.

use insta::assert_snapshot;

use super::tools;
use crate::{
    cli::{report, without_folder},
    support::{mynah, process::Process},
};

/// Nobody is asked.
fn said(yaml: &str) -> String {
    let file = tools(yaml);
    let mut command = mynah();
    command.args(["converse", "Hello!", "--tools"]).arg(&file);
    let said = report(&Process::start(&mut command).wait());
    let said = without_folder(&said, file.parent().unwrap());
    let said = said.strip_prefix("-- stderr\nmynah: ").expect("a mistake");
    said.strip_suffix("\n-- exit 1").expect("a failure").to_owned()
}

/// One tool, with these keys beside its name.
fn tool(keys: &str) -> String {
    said(&format!("tools:\n- name: f\n  {keys}\n"))
}

#[test]
fn the_shape_of_the_file() {
    assert_snapshot!(said(""), @"[folder]/tools.yaml:1:1: unexpected end of file");
    assert_snapshot!(said("tools: f"), @"[folder]/tools.yaml:1:8: must be a list");
    assert_snapshot!(said("tools: []\nlimits: {}"), @"[folder]/tools.yaml:2:1: unknown field `limits`, expected one of $schema, defaults, tools");
    assert_snapshot!(said("defaults: {tries: 1}\ntools: []"), @"[folder]/tools.yaml:1:12: unknown field `tries`, expected one of timeout, retries, max_result");
    assert_snapshot!(said("tools: []\n---\ntools: []"), @"[folder]/tools.yaml:3:1: must be one document");
    assert_snapshot!(said("tools: [{name: f, command: [a]"), @"[folder]/tools.yaml:1:9: unclosed bracket '{'");
    assert_snapshot!(said("{\"tools\": [\n{\"name\": \"f\", \"command\": [\"a\"], \"cache\": 5}]}"), @"[folder]/tools.yaml:2:42: must be a mapping");
}

#[test]
fn the_kind_of_a_tool() {
    assert_snapshot!(tool("description: no kind"), @"[folder]/tools.yaml:3:3: missing field `command`");
    assert_snapshot!(tool("http: {url: 'http://localhost'}"), @"[folder]/tools.yaml:3:3: unsupported tool kind `http`; expected `command`");
    assert_snapshot!(tool("static: [{result: yes}]"), @"[folder]/tools.yaml:3:3: unsupported tool kind `static`; expected `command`");
    assert_snapshot!(said("tools:\n- mcp: {command: [python3, server.py]}"), @"[folder]/tools.yaml:2:3: unsupported tool kind `mcp`; expected `command`");
    assert_snapshot!(tool("comand: [date]"), @"[folder]/tools.yaml:3:3: unknown field `comand`, expected one of name, description, parameters, repeatable, cache, timeout, retries, max_result, command");
    assert_snapshot!(tool("command: cat -n"), @"[folder]/tools.yaml:3:12: must be a list, such as [cat] or [sh, -c, ...]");
    assert_snapshot!(tool("command: {cat: -n}"), @"[folder]/tools.yaml:3:12: invalid type: map, expected a list, such as [python3, tool.py]");
    assert_snapshot!(tool("command:"), @"[folder]/tools.yaml:3:10: the program is missing; expected a list such as [python3, tool.py]");
    assert_snapshot!(tool("command: []"), @"[folder]/tools.yaml:3:12: the program is missing; expected a list such as [python3, tool.py]");
}

#[test]
fn the_limits_of_a_tool() {
    assert_snapshot!(tool("timeout: soon"), @r#"[folder]/tools.yaml:3:12: "soon" is not a duration; write it as Go does, such as 50ms or 1.5s"#);
    assert_snapshot!(tool("timeout: 0s"), @r#"[folder]/tools.yaml:3:12: "0s" is too short; use a duration above 0s, such as 500ms or 10s"#);
    assert_snapshot!(tool("timeout: -5s"), @r#"[folder]/tools.yaml:3:12: "-5s" is too short; use a duration above 0s, such as 500ms or 10s"#);
    assert_snapshot!(tool("timeout: 10"), @r#"[folder]/tools.yaml:3:12: "10" has no unit; add one, such as 10s"#);
    assert_snapshot!(tool("retries: 11"), @r#"[folder]/tools.yaml:3:12: "11" is not a number from 0 to 10"#);
    assert_snapshot!(tool("retries: -1"), @r#"[folder]/tools.yaml:3:12: "-1" is not a number from 0 to 10"#);
    assert_snapshot!(tool("max_result: 4MB"), @r#"[folder]/tools.yaml:3:15: "4MB" is not a size; expected 1 to 16Mi bytes, such as 65536, 64Ki or 1Mi"#);
    assert_snapshot!(tool("max_result: 17Mi"), @r#"[folder]/tools.yaml:3:15: "17Mi" is not a size; expected 1 to 16Mi bytes, such as 65536, 64Ki or 1Mi"#);
    assert_snapshot!(tool("cache: {ttl: for ever}"), @r#"[folder]/tools.yaml:3:16: "for ever" is not a duration; write it as Go does, such as 50ms or 1.5s"#);
    assert_snapshot!(tool("repeatable: maybe"), @"[folder]/tools.yaml:3:15: invalid boolean");
    assert_snapshot!(tool("timeout: 1s\n  timeout: 2s"), @"[folder]/tools.yaml:4:3: duplicate mapping key `timeout` is not allowed here");
}

#[test]
fn the_name_and_the_arguments_of_a_tool() {
    assert_snapshot!(said("tools: [{name: get weather, command: [date]}]"), @r#"[folder]/tools.yaml: invalid tool name "get weather": a name is 1 to 64 ASCII letters, digits, _ and -"#);
    assert_snapshot!(said("tools: [{name: f, command: [a]}, {name: f, command: [b]}]"), @"[folder]/tools.yaml: a tool named f is already registered");
    assert_snapshot!(tool("command: [a]\n  parameters: [location]"), @"[folder]/tools.yaml:4:15: must be a mapping");
    assert_snapshot!(tool("command: [a]\n  parameters: {type: string}"), @r#"[folder]/tools.yaml: invalid parameter schema of f: arguments must be of type "object", not "string""#);
    assert_snapshot!(tool("command: [a]\n  parameters: {type: object, properties: {a: {type: text}}}"), @r#"[folder]/tools.yaml: invalid parameter schema of f: "text" is not valid under any of the schemas listed in the 'anyOf' keyword"#);
}

#[test]
fn a_file_that_is_not_there() {
    let mut command = mynah();
    command.args(["converse", "Hello!", "--tools", "target/nothing.yaml"]);
    assert_snapshot!(report(&Process::start(&mut command).wait()), @"
    -- stderr
    mynah: target/nothing.yaml: cannot be read: No such file or directory (os error 2)
    -- exit 1
    ");
}
