//! Tests of `mynah explain`.

use insta::assert_snapshot;

use super::{redact_folder, report, write_folder};
use crate::support::{mynah, process::Process};

const TOOLS: &str = "\
- type: function
  function:
    name: get_weather
    parameters:
      type: object
      properties: {city: {type: string}, unit: {enum: [celsius, fahrenheit]}, days: {type: integer}}
      required: [city, unit]
- {function: {name: send_email, parameters: {type: object, properties: {body: {type: string}}}}}
- {name: track_shipment}
";

const PROMPT: &str = "What's the weather in Paris? Where is my shipment? Don't send an email.";

/// Runs `mynah explain` with a prompt on stdin and a file of tools.
fn explain_file(tools: &str, args: &[&str]) -> String {
    let folder = write_folder(&[("tools.yaml", tools)]);
    let mut command = mynah();
    command.arg("explain").arg("--tools").arg(folder.join("tools.yaml")).args(args);
    let output = Process::start_with_input(&mut command, PROMPT).wait();
    redact_folder(&report(&output), &folder)
}

#[test]
fn prints_a_paragraph_for_each_tool() {
    assert_snapshot!(explain_file(TOOLS, &[]), @r#"
    get_weather is called: 'weather' (topic)
      city  "Paris"    'Paris' (behind its cue)
      unit  "celsius"  enum of the schema
      left out: days
    send_email is not called: 'send', 'email' said, but negated
    track_shipment is not called: 'shipment' said, 'track' not
    -- exit 0
    "#);
}

#[test]
fn prints_json() {
    assert_snapshot!(explain_file(TOOLS, &["--json", "-"]), @r#"
    {"tools":[{"tool":"get_weather","calls":[{"rule":"topic","words":["weather"],"arguments":[{"name":"city","value":"Paris","source":"stated","rule":"behind its cue","words":"Paris"},{"name":"unit","value":"celsius","source":"enum"}],"left_out":["days"]}]},{"tool":"send_email","calls":[],"reason":"'send', 'email' said, but negated"},{"tool":"track_shipment","calls":[],"reason":"'shipment' said, 'track' not"}]}
    -- exit 0
    "#);
}

/// The forms of OpenAI's API and Dapr's, definitions alone, and the file that runs tools.
#[test]
fn reads_tools_in_all_forms() {
    let definition = r#"{"name": "get_weather", "parameters": {"type": "object"}}"#;
    let expected = explain_file(&format!("[{definition}]"), &[]);
    assert_snapshot!(expected, @"
    get_weather is called: 'weather' (topic)
    -- exit 0
    ");
    for file in [
        format!(r#"[{{"type": "function", "function": {definition}}}]"#),
        format!(r#"[{{"function": {definition}}}]"#),
        format!(
            r#"{{"model": "echo", "tools": [{{"type": "function", "function": {definition}}}]}}"#
        ),
        format!(r#"{{"inputs": [], "tools": [{{"function": {definition}}}]}}"#),
        format!("# YAML\ntools: [{definition}]"),
        "tools:\n- {name: get_weather, parameters: {type: object}, static: [{result: Sunny}]}"
            .to_owned(),
    ] {
        assert_eq!(explain_file(&file, &[]), expected, "{file}");
    }
}

#[test]
fn reports_invalid_tools_with_their_places() {
    let files = [
        "",
        "[]",
        "rules: []",
        "a: [",
        "- {name: a}\n- {function: {title: b}}",
        "- 3",
        "- {name: 3}",
        "- {name: a, name: b}",
        "tools:\n- {name: a, static: []}",
    ];
    let reports = files.map(|file| format!("{file:?}\n{}", explain_file(file, &["Hello"])));
    assert_snapshot!(reports.join("\n"), @r#"
    ""
    -- stderr
    mynah: [folder]/tools.yaml:1:1: no tools; expected a list of tools, or an object with a list `tools`, such as a request or a tools file
    -- exit 1
    "[]"
    -- stderr
    mynah: [folder]/tools.yaml:1:1: no tools; expected a list of tools, or an object with a list `tools`, such as a request or a tools file
    -- exit 1
    "rules: []"
    -- stderr
    mynah: [folder]/tools.yaml:1:1: no tools; expected a list of tools, or an object with a list `tools`, such as a request or a tools file
    -- exit 1
    "a: ["
    -- stderr
    mynah: [folder]/tools.yaml:1:4: not valid YAML: unclosed bracket '['
    -- exit 1
    "- {name: a}\n- {function: {title: b}}"
    -- stderr
    mynah: [folder]/tools.yaml:2:3: not a tool: the key `name` is missing; expected an object with `name`, `description` and `parameters`, which may be in `function`
    -- exit 1
    "- 3"
    -- stderr
    mynah: [folder]/tools.yaml:1:3: not a tool: must be an object, not 3; expected an object with `name`, `description` and `parameters`, which may be in `function`
    -- exit 1
    "- {name: 3}"
    -- stderr
    mynah: [folder]/tools.yaml:1:3: not a tool: name must be a text, not 3; expected an object with `name`, `description` and `parameters`, which may be in `function`
    -- exit 1
    "- {name: a, name: b}"
    -- stderr
    mynah: [folder]/tools.yaml:1:13: duplicate key "name"; first used in line 1
    -- exit 1
    "tools:\n- {name: a, static: []}"
    -- stderr
    mynah: [folder]/tools.yaml:2:3: static is empty; expected a list of results
    -- exit 1
    "#);
}
