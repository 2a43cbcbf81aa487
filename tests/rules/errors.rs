//! Errors in files of rules.

use insta::assert_snapshot;
use serde_json::json;

use super::{ask, component, write_rules};
use crate::support::{
    Sidecar,
    messages::{assistant, assistant_with_calls, request, tool, tool_call, tool_result, user},
    process::run,
};

/// Returns the output of `mynah check` for a file.
pub(super) fn check(text: &str) -> String {
    let file = write_rules(text);
    let folder = file.parent().unwrap().to_str().unwrap().to_owned();
    run(&["check", file.to_str().unwrap()]).stdout.replace(&format!("{folder}/"), "")
}

#[test]
fn all_errors_have_places() {
    let text = "\
rules:
- name: weather
  match: {user: {contain: weather}}
  respnd: [{text: a}]
- match:
    user:
      matches: '('
  respond:
  - {txt: b}
  on_exhausted: loop
- name: weather
  times: 0
  chain:
  - error: {code: BROKEN}
  - respond: [{text: c}]
    delay: soon
  sequence: []
- {}
";
    assert_snapshot!(check(text), @r#"
    rules.yaml:4:3: rule "weather": unknown key `respnd`; expected one of `name`, `match`, `respond`, `chain`, `sequence`, `on_exhausted`, `times`, `priority`, `allow_unoffered`, `faults`
    rules.yaml:7:7: rule 2: match, user: the pattern "(" is invalid: unclosed group
    rules.yaml:9:6: rule 2: respond, item 1: unknown key `txt`; expected one of `text`, `text_message`, `json`, `tool_call`, `system_prompt_echo`, `tools_list`, `tools_echo`, `tool_schema`, `tool_results`, `error`
    rules.yaml:10:17: rule 2: on_exhausted: needs chain or sequence
    rules.yaml:11:3: rule "weather": needs exactly one of respond, chain and sequence
    rules.yaml:11:9: rule 3: duplicate name "weather"; first used in line 2
    rules.yaml:12:10: rule "weather": times: must be a whole number of at least 1, not 0
    rules.yaml:18:3: rule 4: needs exactly one of respond, chain and sequence
    0 components, 1 rules file, 8 errors, 0 warnings
    "#);
}

#[test]
fn errors_show_how_steps_and_answers_are_written() {
    let text = "\
rules:
- sequence:
  - respond: {messages: [{text: a}], delay: 1s}
- respond: {reasoning: 5}
- respond: {reasoning: \"{{ usr }}\", messages: [{text: a}]}
";
    assert_snapshot!(check(text), @r#"
    rules.yaml:3:14: rule 1: step 1, respond: must be a text or a list of items here, not an object; put keys such as delay beside respond
    rules.yaml:4:24: rule 2: respond, reasoning: must be a text or {"length": N}, not 5
    rules.yaml:5:24: rule 3: respond, reasoning: template "{{ usr }}": unknown variable `usr`; expected one of: user, messages, results, turn, metadata, request, component, session
    0 components, 1 rules file, 3 errors, 0 warnings
    "#);
}

#[tokio::test]
async fn the_nearest_rule_is_named_if_none_matches() {
    let rules = write_rules(
        "rules:
- name: weather
  match: {user: weather, tools: [get_weather]}
  respond: sunny
- {name: once, match: {user: once}, times: 1, respond: again}
",
    );
    let rules = format!("{{name: rules, value: {}}}", rules.display());
    let sidecar = Sidecar::with_components(&component(
        "echo",
        &format!("{rules}, {{name: fallback, value: error}}"),
    ));
    assert_snapshot!(ask(&sidecar, "weather?").await, @r#"NotFound: failed conversing with component echo: no rule matches; the nearest is rule "weather": tools: expected "get_weather"; the call has none; and no instruction chain in the prompt answers"#);
    assert_snapshot!(ask(&sidecar, "Hello!").await, @r#"NotFound: failed conversing with component echo: no rule matches; the nearest is rule "once": user: expected a text that contains "once"; the call has "Hello!"; and no instruction chain in the prompt answers"#);
    assert_snapshot!(ask(&sidecar, "once").await, @"again");
    assert_snapshot!(ask(&sidecar, "once").await, @r#"NotFound: failed conversing with component echo: no rule matches; rule "once" has answered as often as its times allows; and no instruction chain in the prompt answers"#);
}

#[tokio::test]
async fn exhausted_rules_and_chains_are_not_spent() {
    let rules =
        write_rules("rules:\n- {match: {user: rule}, sequence: [one], on_exhausted: fallback}\n");
    let sidecar = Sidecar::with_components(&component(
        "echo",
        &format!(
            "{{name: rules, value: {}}}, {{name: fallback, value: error}}, \
             {{name: onExhausted, value: fallback}}",
            rules.display()
        ),
    ));
    assert_eq!(ask(&sidecar, "rule").await, "one");
    assert_snapshot!(ask(&sidecar, "rule").await, @"NotFound: failed conversing with component echo: no rule answers; rule 1 is exhausted, and its on_exhausted is fallback; and no instruction chain in the prompt answers");
    let chain = r#"<|instruction_start|>{"messages":[{"text":"chain"}]}<|instruction_end|>"#;
    assert_eq!(ask(&sidecar, chain).await, "chain");
    let history = request([user(chain), assistant("chain"), user("more")]);
    let error = sidecar.converse(history).await.unwrap_err();
    assert_snapshot!(format!("{:?}: {}", error.code(), error.message()), @r#"NotFound: failed conversing with component echo: no rule matches; the nearest is rule 1: user: expected a text that contains "rule"; the call has "more"; and no instruction chain in the prompt answers"#);
}

#[test]
fn other_files_with_rules_are_skipped() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a}\nrules:\n- {verbs: [get]}\n";
    assert_snapshot!(check(role), @"
    rules.yaml: nothing to check; expected a Component, a list `scenarios` of a simulation, a list `rules` or `expect` of a rules file, a list `tools` of a tools file, or aimock fixtures
    rules.yaml:1:1: skipped: kind is Role, not Component
    0 components, 1 error, 0 warnings
    ");
}

#[test]
fn values_that_begin_with_braces_need_quotes() {
    for text in [
        "rules:\n- match: {user: a}\n  respond: {{ user }}\n",
        "rules:\n- match: {user: a}\n  respond: {{ user }} is here\n",
        "rules:\n- match: {user: a}\n  sequence:\n  - {{ user }}\n",
        "expect:\n- match: {user: {{ a }}}\n",
    ] {
        let report = check(text);
        assert!(report.contains("; a value that begins with {{ needs quotes\n"), "{report}");
    }
    let report = check("rules:\n- respond: {[a]: b}\n");
    assert!(!report.contains("quotes"), "{report}");
}

#[test]
fn other_files_are_no_rules_files() {
    let resource = component("gpt", "");
    let file = write_rules(&resource);
    let output = run(&["--rules", file.to_str().unwrap()]);
    assert!(
        output.stderr.contains("this is a Kubernetes resource, not a rules file"),
        "{output:?}"
    );
    let missing = file.with_file_name("missing.yaml");
    let output = run(&["--rules", missing.to_str().unwrap()]);
    let expected = "missing.yaml: the rules file cannot be read: No such file or directory";
    assert!(output.stderr.contains(expected), "{output:?}");
}

#[test]
fn files_without_rules_are_errors() {
    assert_snapshot!(check("rules:"), @"
    rules.yaml:1:1: expected a list `rules` or `expect`, as this is a rules file
    0 components, 1 rules file, 1 error, 0 warnings
    ");
    assert_snapshot!(check("rules: []"), @"
    rules.yaml:1:8: rules must not be empty
    0 components, 1 rules file, 1 error, 0 warnings
    ");
    assert_snapshot!(check("rules: {}"), @"
    rules.yaml:1:8: rules: must be a list, not a mapping
    0 components, 1 rules file, 1 error, 0 warnings
    ");
    assert_snapshot!(check("expect: [{count: {}}]"), @"
    rules.yaml:1:18: expect 1: count: the condition is empty; expected exactly, at_least or at_most
    0 components, 1 rules file, 1 error, 0 warnings
    ");
    assert_snapshot!(check("rules: [{respond: a, match: [user: hello]}]"), @"
    rules.yaml:1:29: rule 1: match: must be a mapping, not a list
    0 components, 1 rules file, 1 error, 0 warnings
    ");
    assert_snapshot!(check("rules: [{respond: a, match: hello}]"), @r#"
    rules.yaml:1:29: rule 1: match: must be a mapping, not "hello"
    0 components, 1 rules file, 1 error, 0 warnings
    "#);
    assert_snapshot!(check("rules: [{respond: a}]\n---\nrules: [{respond: b}]"), @"
    rules.yaml:2:1: the file must be one document; remove the line `---`
    0 components, 1 rules file, 1 error, 0 warnings
    ");
    assert_snapshot!(check("expect: [sent]"), @r#"
    rules.yaml:1:10: expect 1: must be a mapping, not "sent"
    0 components, 1 rules file, 1 error, 0 warnings
    "#);
    assert_snapshot!(check("rules: [{respond: a}]\nrules: [{respond: b, times: 0}]\nrule: 5"), @r#"
    rules.yaml:2:1: duplicate key "rules"; first used in line 1
    rules.yaml:2:29: rule 1: times: must be a whole number of at least 1, not 0
    rules.yaml:3:1: unknown key `rule`; expected one of `rules`, `expect`, `normalize`, `$schema`
    0 components, 1 rules file, 3 errors, 0 warnings
    "#);
    assert_snapshot!(check("rules: [{respond: [}]"), @"
    rules.yaml:1:19: not valid YAML: mismatched bracket '[' closed by '}'
    0 components, 1 error, 0 warnings
    ");
}

#[test]
fn valid_files_are_counted() {
    let text = "\
$schema: rules.schema.json
rules:
- name: weather
  match: {user: weather}
  respond: [{tool_call: [{name: get_weather, args: {location: Paris}}]}]
  allow_unoffered: true
- sequence:
  - error: {code: UNAVAILABLE, retry_after: 1s}
  - respond: [{text: fine now}]
  on_exhausted: repeat_last
  times: 3
  priority: -1
expect:
- {match: {user: weather}, count: 2}
- {count: {at_least: 1, at_most: 3}}
";
    assert_snapshot!(check(text), @"0 components, 1 rules file, 0 errors, 0 warnings");
    let json = r#"{"rules": [{"match": {"user": {"equals": "a"}}, "respond": {"messages": [{"text": "b"}]}}]}"#;
    assert_snapshot!(check(json), @"0 components, 1 rules file, 0 errors, 0 warnings");
}

/// Numbers and booleans are those of YAML, as in the schema. Quoted, they are texts.
#[test]
fn quoted_numbers_are_errors() {
    let rules = r#"
rules:
  - respond: a
    times: "2"
    priority: high
    allow_unoffered: yes
"#;
    assert_snapshot!(check(rules), @r#"
    rules.yaml:4:12: rule 1: times: must be a whole number of at least 1, not "2"
    rules.yaml:5:15: rule 1: priority: must be a whole number, not "high"
    rules.yaml:6:22: rule 1: allow_unoffered: must be true or false, not "yes"
    0 components, 1 rules file, 3 errors, 0 warnings
    "#);
}

/// The name of the tool is misspelled, so no rule matches.
#[tokio::test]
async fn the_nearest_rule_may_name_a_similar_tool() {
    let rules = write_rules(
        "rules:
- {match: {user: Rome}, respond: [{tool_call: [{name: get_weather, args: {}}]}]}
- {match: {last_tool_result: {tool: GetWeather, contains: sunny}}, respond: It is sunny.}
",
    );
    let sidecar = Sidecar::start_with(&["--rules", rules.to_str().unwrap(), "--strict"]);
    let call = tool_call("call_1", "get_weather", "{}");
    let result = tool_result("call_1", "get_weather", "sunny");
    let mut history = request([user("Rome?"), assistant_with_calls("", [call]), result]);
    history.tools = vec![tool("get_weather", json!({}))];
    let error = sidecar.converse(history).await.unwrap_err();
    assert_snapshot!(error.message(), @r#"failed conversing with component echo: no rule matches; the nearest is rule 2: last_tool_result.tool: expected "GetWeather"; the call has "get_weather""#);
}

/// What long texts have in common does not hide where they differ.
#[tokio::test]
async fn long_texts_are_shown_where_they_differ() {
    let common = "You are the agent of a company. ".repeat(20);
    let error = async |condition: &str| {
        let rules = write_rules(&format!("rules: [{{match: {{user: {condition}}}, respond: a}}]"));
        let sidecar = Sidecar::start_with(&["--rules", rules.to_str().unwrap(), "--strict"]);
        ask(&sidecar, &format!("{common}Be rude.")).await
    };
    assert_snapshot!(error(&format!("{{equals: '{common}Be kind.'}}")).await, @r#"NotFound: failed conversing with component echo: no rule matches; the nearest is rule 1: user: expected "…re the agent of a company. Be kind."; the call has "…re the agent of a company. Be rude.""#);
    assert_snapshot!(error(&format!("{{starts_with: '{common}Be k'}}")).await, @r#"NotFound: failed conversing with component echo: no rule matches; the nearest is rule 1: user: expected a text that starts with "…re the agent of a company. Be k"; the call has "…re the agent of a company. Be rude.""#);
    assert_snapshot!(error("{ends_with: Be kind.}").await, @r#"NotFound: failed conversing with component echo: no rule matches; the nearest is rule 1: user: expected a text that ends with "Be kind."; the call has "…ou are the agent of a company. You are the agent of a company. You are the agent of a company. You are the agent of a company. You are the agent of a company. You are the agent of a company. Be rude.""#);
}

#[test]
fn errors_say_where_misplaced_keys_belong() {
    let text = "rules:
- {respond: {text: hi}}
- {respond: {tool_call: [{name: f}]}}
- {respond: hi, delay: 1s}
- {respond: {messages: [{text: hi}], delay: 5}}
- {respond: {messages: [{text: hi}], usage: nothing}}
";
    assert_snapshot!(check(text), @r#"
    rules.yaml:2:14: rule 1: respond: unknown key `text`; make it an item: "messages": [{"text": …}]
    rules.yaml:3:14: rule 2: respond: unknown key `tool_call`; make it an item: "messages": [{"tool_call": …}]
    rules.yaml:4:17: rule 3: unknown key `delay`; write it in the answer: respond: {messages: […], delay: …}
    rules.yaml:5:45: rule 4: respond, delay: must be a duration such as "500ms", not 5
    rules.yaml:6:45: rule 5: respond, usage: must be an object or "none"
    0 components, 1 rules file, 5 errors, 0 warnings
    "#);
}
