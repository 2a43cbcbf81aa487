//! Conditions inside of conditions, the offered tools, and parts that are not texts.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{ask, errors::check, with_rules};
use crate::support::{
    Sidecar,
    messages::{prompt, tool},
};

/// Returns the conditions that a prompt does not meet, one rule per line.
async fn explain(sidecar: &Sidecar, prompt: &str) -> String {
    let message = json!({"ofUser": {"content": [{"text": prompt}]}});
    let body = json!({"request": {"inputs": [{"messages": [message]}]}});
    let explained = sidecar.post("/mynah/v1/explain", body.to_string()).await.json();
    let line = |mismatch: &Value| {
        let seen = &mismatch["seen"];
        format!("{}: {}; seen: {seen}", mismatch["condition"], mismatch["expected"])
    };
    let rules = explained["rules"].as_array().unwrap().iter();
    let lines = rules.flat_map(|rule| rule["mismatches"].as_array().unwrap()).map(line);
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn explaining_names_the_nested_condition() {
    let sidecar = with_rules(
        "rules:
- {match: {not: {user: hello}}, respond: a}
- {match: {any_of: [{user: bye}, {turn: 1, alpha: 2}]}, respond: b}
- {match: {all_of: [{user: hello}, {user: {longer_than: 20}}]}, respond: c}
- {match: {not: {any_of: [{user: bye}, {not: {has_tool_result: true}}]}}, respond: d}
- {match: {user: {ends_with: '?', shorter_than: 3}}, respond: e}
- {match: {offered_only: [get_time], has_image: true}, respond: f}
- {match: {not: {any_message: hello, response_format: absent}}, respond: g}
",
    );
    assert_snapshot!(explain(&sidecar, "hello!").await, @r#"
    "not.user": "anything but a text that contains \"hello\""; seen: "hello!"
    "any_of.1.user": "a text that contains \"bye\""; seen: "hello!"
    "any_of.2.turn": "exactly 1"; seen: "0"
    "user": "a text of more than 20 characters"; seen: "hello!"
    "not.any_of.2.not.has_tool_result": "true"; seen: "false"
    "user": "a text that ends with \"?\""; seen: "hello!"
    "has_image": "true"; seen: "false"
    "offered_only": "get_time"; seen: null
    "not.response_format": "anything but absent"; seen: "absent"
    "not.any_message": "anything but a text that contains \"hello\""; seen: "hello!"
    "#);
}

/// The rule calls a tool, and does not answer its result, because no condition is about results.
#[tokio::test]
async fn nested_conditions_on_results_count() {
    let call = "respond: [{tool_call: [{name: get_time}]}]";
    let with_match = |conditions: &str| {
        with_rules(&format!("rules:\n- {{match: {{{conditions}}}, {call}}}\n- respond: text\n"))
    };
    let tools = [tool("get_time", json!({}))];
    let mut history = prompt("time", tools);
    history.inputs[0].messages.push(crate::support::messages::tool_result("1", "get_time", "noon"));
    for (conditions, content) in [
        ("any_of: [{user: time}, {user: hour}]", "text"),
        ("any_of: [{user: time, has_tool_result: true}, {user: hour}]", ""),
        ("not: {turn: 3}", ""),
    ] {
        let answer = with_match(conditions).converse(history.clone()).await.unwrap();
        assert_eq!(answer.content, content, "{conditions}");
    }
}

#[tokio::test]
async fn the_alternative_that_holds_captures() {
    let sidecar = with_rules(
        "rules:
- match:
    any_of:
    - {user: {matches: 'to (?<city>\\w+)'}}
    - {user: {matches: 'from (?<city>\\w+)'}}
    not: {user: {matches: '(?<never>Rome)'}}
  respond: '{{ city }}'
",
    );
    assert_eq!(ask(&sidecar, "from Oslo").await, "Oslo");
    assert_eq!(ask(&sidecar, "from Oslo to Paris").await, "Paris");
    assert_eq!(ask(&sidecar, "from Oslo to Rome").await, "from Oslo to Rome");
}

#[tokio::test]
async fn offered_only_knows_all_tools() {
    let sidecar = with_rules(
        "rules:
- {match: {offered_only: []}, respond: none}
- {match: {offered_only: [a, b]}, respond: both}
- respond: others
",
    );
    let offering = async |names: &[&str]| {
        let tools: Vec<_> = names.iter().map(|name| tool(name, json!({}))).collect();
        sidecar.converse(prompt("hi", tools)).await.unwrap().content
    };
    assert_eq!(offering(&[]).await, "none");
    assert_eq!(offering(&["a"]).await, "others");
    assert_eq!(offering(&["b", "a"]).await, "both");
    assert_eq!(offering(&["b", "a", "c"]).await, "others");
}

#[tokio::test]
async fn parts_of_the_last_user_message_are_known() {
    let sidecar = with_rules(
        "rules:
- {match: {has_image: true, has_audio: false}, respond: image}
- {match: {any_of: [{has_audio: true}, {has_file: true}]}, respond: audio or file}
- {match: {has_image: false}, respond: text}
",
    );
    let image = json!({"type": "image_url", "image_url": {"url": "x"}});
    let audio = json!({"type": "input_audio", "input_audio": {"data": "A", "format": "wav"}});
    let file = json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "A"}});
    let user = |content: Value| json!({"role": "user", "content": content});
    for (messages, expected) in [
        (json!([user(json!([image]))]), "image"),
        (json!([user(json!([audio]))]), "audio or file"),
        (json!([user(json!([image, audio]))]), "audio or file"),
        (json!([user(json!([file]))]), "audio or file"),
        (json!([user(json!([image])), user(json!("hi"))]), "text"),
    ] {
        let body = json!({"model": "echo", "messages": messages}).to_string();
        let reply = sidecar.post("/v1/chat/completions", body).await.json();
        assert_eq!(reply["choices"][0]["message"]["content"], expected, "{messages}");
    }
    let check = json!({"match": {"has_audio": true}, "count": 2}).to_string();
    assert_eq!(sidecar.post("/mynah/v1/verify", check).await.status, 200);
}

#[test]
fn invalid_nested_conditions_are_errors() {
    let text = "rules:
- {match: {not: {}}, respond: a}
- {match: {any_of: []}, respond: a}
- {match: {all_of: [{user: a}, {}]}, respond: a}
- {match: {any_of: [{usr: a}]}, respond: a}
- {match: {not: {user: {matches: '(?<a>.)'}}}, respond: '{{ a }}'}
- {match: {all_of: [{user: {matches: '(?<a>.)'}}, {user: {matches: '(?<a>.)'}}]}, respond: a}
- {match: {user: {shorter_than: 0}}, respond: a}
- {match: {not: {not: {not: {not: {not: {not: {not: {not: {not: {user: a}}}}}}}}}}, respond: a}
";
    assert_snapshot!(check(text), @r#"
    rules.yaml:2:11: rule 1: match: not has no conditions; expected at least one, such as {user: a}
    rules.yaml:3:11: rule 2: match: any_of is empty; expected at least one mapping such as {user: a}
    rules.yaml:4:11: rule 3: match: all_of has no conditions; expected at least one, such as {user: a}
    rules.yaml:5:22: rule 4: match, any_of 1: unknown key `usr`; expected one of `component`, `model`, `session`, `context_id`, `alpha`, `turn`, `has_tool_result`, `has_tool_result_since_user`, `tools`, `offered_only`, `tool_choice`, `response_format`, `metadata`, `parameters`, `max_tokens`, `temperature`, `scrub_pii`, `user`, `system`, `last_message`, `any_message`, `last_tool_result`, `any_tool_call`, `has_image`, `has_audio`, `has_file`, `request`, `not`, `any_of`, `all_of`
    rules.yaml:6:57: rule 5: respond, item 1, text: template "{{ a }}": unknown variable `a`; expected one of: user, messages, results, turn, metadata, request, component, session
    rules.yaml:7:11: rule 6: match: two patterns have a group named "a"; rename one of them
    rules.yaml:8:18: rule 7: match, user: shorter_than is 0; expected at least 1
    rules.yaml:9:65: rule 8: match, not, not, not, not, not, not, not, not, not: the conditions are nested too deep; expected at most 8 levels
    0 components, 1 rules file, 8 errors, 0 warnings
    "#);
}

#[tokio::test]
async fn deep_conditions_in_requests_are_refused() {
    let sidecar = Sidecar::start();
    let deep = |depth: usize| {
        let (open, close) = (r#"{"any_of":["#.repeat(depth), "]}".repeat(depth));
        format!(r#"{{"match":{open}{{"user":"a"}}{close},"count":0}}"#)
    };
    assert_eq!(sidecar.post("/mynah/v1/verify", deep(8)).await.status, 200);
    for depth in [9, 60, 10_000] {
        let reply = sidecar.post("/mynah/v1/verify", deep(depth)).await;
        let error = reply.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains("nested too deep; expected at most 8 levels"), "{error}");
        assert_eq!(reply.status, 400);
    }
}

/// Each call is compared with all nested conditions, so they count into the limit on work.
#[tokio::test]
async fn the_work_of_nested_conditions_is_counted() {
    let sidecar = Sidecar::start();
    assert_eq!(ask(&sidecar, &"x".repeat(50_000)).await.len(), 50_000);
    let missing = json!({"user": {"contains": "y", "ignore_case": true}});
    let check = json!({"match": {"any_of": vec![missing; 6_000]}, "count": 0}).to_string();
    let reply = sidecar.post("/mynah/v1/verify", check).await;
    assert!(reply.body.contains("takes too much work"), "{} {}", reply.status, reply.body);
}
