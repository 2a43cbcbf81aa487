//! Tests of the file format: mistakes are reported with their places.

use std::{
    fs,
    path::{Path, PathBuf},
};

use insta::assert_snapshot;

use crate::support::{
    mynah,
    process::{Process, run},
    scratch,
};

/// Creates a folder with these files.
pub(super) fn folder_with(files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch("simulate");
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    folder
}

/// Checks the simulation `simulate.yaml` in a folder. Returns what `mynah check` prints.
pub(super) fn check_in(folder: &Path) -> String {
    let output = run(&["check", folder.join("simulate.yaml").to_str().unwrap()]);
    assert_eq!(output.stderr, "");
    output.stdout.trim_end().replace(folder.to_str().unwrap(), "[folder]")
}

/// Checks a simulation.
fn check(simulation: &str) -> String {
    check_in(&folder_with(&[("simulate.yaml", simulation)]))
}

const SCENARIO: &str = "scenarios: [{id: s, customer: c, agent: a, initial_message: {sender: customer, content: Hi}}]\n";
const PARTICIPANTS: &str = "\
participants:
- {name: c, role: customer, script: []}
- {name: a, role: agent, echo: true}
";

#[test]
fn accepts_a_valid_file() {
    let file = format!("name: a\n{PARTICIPANTS}{SCENARIO}");
    assert_snapshot!(check(&file), @"0 components, 1 simulation, 0 errors, 0 warnings");
}

#[test]
fn samples_are_valid() {
    for sample in ["support-desk.yaml", "recorded.yaml", "model-desk.yaml"] {
        let path = format!("examples/simulate/{sample}");
        let mut command = mynah();
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["check", &path]);
        let output = Process::start(&mut command).wait();
        assert_eq!(output.stdout, "0 components, 1 simulation, 0 errors, 0 warnings\n", "{sample}");
    }
}

#[test]
fn reports_a_wrong_value_with_its_place() {
    let report = |keys: &str| {
        let text = check(&format!("name: a\n{keys}\n{PARTICIPANTS}{SCENARIO}"));
        text.lines().next().unwrap().to_owned()
    };
    let keys = [
        "in_flight: 0",
        "message_timeout: 30",
        "base_timestamp: tomorrow",
        "detectors: [{outcome: x}]",
        "end_on: {patterns: ['(']}",
        "scenario: []",
    ];
    assert_snapshot!(keys.map(report).join("\n"), @r#"
    [folder]/simulate.yaml:2:12: 0 is out of range; use 1 to 1000
    [folder]/simulate.yaml:2:18: "30" has no unit; add one, such as 30s
    [folder]/simulate.yaml:2:17: "tomorrow" is not a point in time; use now or RFC 3339, such as 2026-05-01T09:00:00Z
    [folder]/simulate.yaml:2:13: a detector needs either outcome and match, or judge
    [folder]/simulate.yaml:2:21: the pattern "(" is invalid: unclosed group
    [folder]/simulate.yaml:2:1: unknown key `scenario`; expected one of `$schema`, `name`, `resources`, `cache`, `in_flight`, `max_messages`, `max_messages_after_outcome`, `message_timeout`, `detect`, `clock`, `base_timestamp`, `outcomes`, `participants`, `detectors`, `end_on`, `scenarios`, `adversarial`
    "#);
}

#[test]
fn reports_a_wrong_value_of_each_entry() {
    let detectors = "\
detectors:
- {outcome: x}
- {outcome: sold, match: {sender: agent}}
- {outcome: sold, match: {send: agent}}
";
    let outcomes = "outcomes: [{name: sold, description: d}]\n";
    let report = check(&format!("name: a\n{outcomes}{detectors}{PARTICIPANTS}{SCENARIO}"));
    assert_snapshot!(report, @"
    [folder]/simulate.yaml:4:3: a detector needs either outcome and match, or judge
    [folder]/simulate.yaml:6:27: unknown key `send`; expected one of `sender`, `content`, `tool_called`, `any`, `all`, `not`
    0 components, 1 simulation, 2 errors, 0 warnings
    ");
}

#[test]
fn reports_all_wrong_names() {
    let file = "\
name: a
resources: [components.yaml]
outcomes:
- {name: resolved, description: b}
- {name: resolved, description: c}
participants:
- {name: c, role: customer, component: nobody}
- {name: c, role: customer, replay: true}
- {name: a, role: agent, http: {url: 'http://127.0.0.1/', body: {a: '{{ b'}}}
- {name: b, role: agent, http: {url: 'http://127.0.0.1/', body: {a: ['{{ lst.content }}']}}}
- {name: m, role: agent, sidecar: {address: 'a b'}, tools: none.yaml}
detectors:
- {outcome: lost, match: {content: a}}
- {judge: {component: judge}}
end_on: {goal: {component: judge}}
scenarios:
- {id: s, customer: a, agent: nobody, initial_message: {sender: customer, content: Hi}}
- {id: s, customer: c, agent: a, initial_message: {sender: customer, content: Hi}, infer_intent: x}
- {id: t, customer: c, agent: a, from: {file: recorded.txt}}
- {id: u, customer: c, agent: a, from: {file: missing.csv}}
";
    let component = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: support}
spec: {type: conversation.echo, version: v1}
";
    let folder = folder_with(&[("simulate.yaml", file), ("components.yaml", component)]);
    assert_snapshot!(check_in(&folder), @r#"
    [folder]/simulate.yaml:5:10: duplicate outcome name "resolved"
    [folder]/simulate.yaml:7:40: unknown component "nobody"; expected one of: support
    [folder]/simulate.yaml:8:10: duplicate participant name "c"
    [folder]/simulate.yaml:9:32: body: malformed template "{{ b", line 1, column 4: unexpected end of input, expected end of variable block
    [folder]/simulate.yaml:10:32: body: template "{{ lst.content }}": unknown variable `lst`; expected one of: conversation, last, unread, intents, role, turn, now
    [folder]/simulate.yaml:11:45: invalid address "a b"; expected host:port, http://host:port or unix:///path
    [folder]/simulate.yaml:11:60: [folder]/none.yaml cannot be read: No such file or directory (os error 2)
    [folder]/simulate.yaml:13:13: unknown outcome "lost"; expected one of: resolved
    [folder]/simulate.yaml:14:23: unknown component "judge"; expected one of: support
    [folder]/simulate.yaml:15:28: unknown component "judge"; expected one of: support
    [folder]/simulate.yaml:17:21: the participant "a" has the role agent, not customer
    [folder]/simulate.yaml:17:31: unknown agent "nobody"; expected one of: a, b, m
    [folder]/simulate.yaml:18:8: duplicate scenario id "s"
    [folder]/simulate.yaml:18:98: unknown component "x"; expected one of: support
    [folder]/simulate.yaml:19:47: the format of the recorded conversations is not known; expected a file .json or .csv, or `format`
    [folder]/simulate.yaml:20:47: [folder]/missing.csv cannot be read: No such file or directory (os error 2)
    0 components, 1 simulation, 16 errors, 0 warnings
    "#);
}

#[test]
fn reports_names_and_descriptions_without_text() {
    let file = "\
name: a
outcomes:
- {name: '', description: b}
- {name: ' a', description: b}
- {name: \"a\\nb\", description: b}
participants:
- {name: ' ', role: customer, echo: true}
- {name: h, role: agent, http: {url: 'http://127.0.0.1/', poll: {url: /u, done: {equals: a}, interval: 1ms}}}
scenarios:
- id: s
  customer: ' '
  agent: {echo: true}
  intents: [{role: customer, description: ' '}]
  initial_message: {sender: customer, content: Hi}
";
    assert_snapshot!(check(file), @r#"
    [folder]/simulate.yaml:3:10: invalid outcome name ""; expected a text of one line without spaces around it
    [folder]/simulate.yaml:4:10: invalid outcome name " a"; expected a text of one line without spaces around it
    [folder]/simulate.yaml:5:10: invalid outcome name "a\nb"; expected a text of one line without spaces around it
    [folder]/simulate.yaml:7:10: the name of the participant has no text
    [folder]/simulate.yaml:8:32: poll: the interval 1ms is too short; the minimum is 10ms
    [folder]/simulate.yaml:13:43: the description of the intent has no text
    0 components, 1 simulation, 6 errors, 0 warnings
    "#);
}

#[test]
fn warns_about_keys_without_an_effect() {
    let file = format!(
        "name: a\ndetect: end\nmax_messages_after_outcome: 3\nend_on: {{patterns: ['']}}\n{PARTICIPANTS}\
         - {{name: b, role: agent, echo: true}}\n{SCENARIO}"
    );
    assert_snapshot!(check(&file), @r#"
    [folder]/simulate.yaml:3:29: max_messages_after_outcome has no effect with `detect: end` (warning)
    [folder]/simulate.yaml:4:21: the empty pattern matches each message (warning)
    [folder]/simulate.yaml:8:3: the participant "b" is in no scenario (warning)
    0 components, 1 simulation, 0 errors, 3 warnings
    "#);
}

#[test]
fn retries_need_something_that_can_fail() {
    let report = check(&format!(
        "name: a\nparticipants: [{{name: c, role: customer, echo: true, retries: 1}}]\n{SCENARIO}"
    ));
    let expected = "the participant \"c\": retries needs a component, a sidecar or http";
    assert!(report.contains(expected), "{report}");
}

/// Components with errors are not reported as unknown.
#[test]
fn reports_errors_in_components() {
    let file = format!(
        "name: a\nresources: [components.yaml]\nparticipants:\n- {{name: c, role: customer, component: support}}\n\
         - {{name: a, role: agent, echo: true}}\n{SCENARIO}"
    );
    let component = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: support}
spec: {type: conversation.ecko, version: v1}
";
    let folder = folder_with(&[("simulate.yaml", &file), ("components.yaml", component)]);
    assert_snapshot!(check_in(&folder), @r#"
    [folder]/components.yaml:4:14: unknown spec.type "conversation.ecko"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
    0 components, 1 simulation, 1 error, 0 warnings
    "#);
}

#[test]
fn reports_a_replay_without_a_recording() {
    let file = "\
name: a
participants:
- {name: a, role: agent, script: []}
- {name: c, role: customer, replay: true}
scenarios:
- {id: s, customer: {replay: true}, agent: a, initial_message: {sender: customer, content: Hi}}
- {id: t, customer: c, agent: a, initial_message: {sender: customer, content: Hi}}
";
    assert_snapshot!(check(file), @r#"
    [folder]/simulate.yaml:6:3: the scenario "s" replays a participant but has no `from`
    [folder]/simulate.yaml:7:3: the scenario "t" replays a participant but has no `from`
    0 components, 1 simulation, 2 errors, 0 warnings
    "#);
}

#[test]
fn reports_mistakes_in_tools() {
    let file = "\
name: a
participants:
- {name: c, role: customer, script: []}
- {name: a, role: agent, component: echo, tools: tools.yaml}
scenarios: [{id: s, customer: c, agent: a, initial_message: {sender: customer, content: Hi}}]
";
    let tools = "tools:\n- {name: f, command: []}\n";
    let folder = folder_with(&[("simulate.yaml", file), ("tools.yaml", tools)]);
    assert_snapshot!(check_in(&folder), @"
    [folder]/tools.yaml:2:22: the program is missing; expected a list such as [python3, tool.py]
    0 components, 1 simulation, 1 error, 0 warnings
    ");
}

/// A folder can have components, simulations and other files.
#[test]
fn finds_simulations_in_a_folder() {
    let simulation = format!("name: a\n{PARTICIPANTS}{SCENARIO}");
    let wrong = simulation.replace("agent: a", "agent: b");
    let folder = folder_with(&[
        ("simulate.yaml", &simulation),
        ("wrong.yaml", &wrong),
        ("tools.yaml", "tools: []\n"),
        ("recorded.csv", "a"),
    ]);
    let output = run(&["check", folder.to_str().unwrap()]);
    let text = output.stdout.replace(folder.to_str().unwrap(), "[folder]");
    assert_snapshot!(text, @r#"
    [folder]/wrong.yaml:5:41: unknown agent "b"; expected one of: a
    [folder]/recorded.csv: skipped: not a .yaml or .yml file
    0 components, 2 simulations, 1 tools file, 1 error, 0 warnings
    "#);
    assert_eq!(output.code, Some(1));
}

/// The limit on messages of participants outside of mynah comes before such a timeout.
#[test]
fn warns_about_a_silence_that_cannot_be_reached() {
    let check_with = |keys: &str| {
        let external = PARTICIPANTS.replace("echo: true", "command: [cat]");
        check(&format!("name: a\n{keys}\n{external}{SCENARIO}"))
    };
    assert_snapshot!(check_with("end_on: {timeout: 1m}"), @"
    [folder]/simulate.yaml:2:19: participants outside of mynah fail before this timeout, after the message_timeout of 30s (warning)
    0 components, 1 simulation, 0 errors, 1 warning
    ");
    let valid = "0 components, 1 simulation, 0 errors, 0 warnings";
    assert_eq!(check_with("end_on: {timeout: 30s}"), valid);
    assert_eq!(check_with("end_on: {timeout: 1m}\nmessage_timeout: 1m"), valid);
}
