//! `mynah diff`.

use std::{fs, path::Path};

use insta::assert_snapshot;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::{Value, json};

use super::{KEY, component, component_of, model, recorder, server::Model, stop};
use crate::support::{
    messages::{assistant_with_calls, request, tool, tool_call, tool_result, user},
    mynah,
    process::{Output, Process},
    scratch,
};

const BEFORE: &str = r#"rules:
- {match: {user: weather, has_tool_result: false}, respond: [{tool_call: [{name: get_weather, args: {city: Paris}}]}]}
- {match: {user: time}, respond: It is late.}
- {match: {has_tool_result: true}, respond: Sunny and warm.}
"#;

const AFTER: &str = r#"rules:
- {match: {user: weather, has_tool_result: false}, respond: [{tool_call: [{name: get_weather, args: {city: 5}}]}]}
- {match: {user: time}, respond: {respond: It is very late., finish_reason: length}}
- {match: {has_tool_result: true}, respond: Sunny and warm.}
"#;

fn asks() -> [ConversationRequestAlpha2; 3] {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let call = [tool_call("c1", "get_weather", r#"{"city": "Paris"}"#)];
    let history =
        [user("weather?"), assistant_with_calls("", call), tool_result("c1", "get_weather", "20")];
    let with_tools = |messages| ConversationRequestAlpha2 {
        tools: vec![tool("get_weather", schema.clone())],
        ..messages
    };
    let named = |request| ConversationRequestAlpha2 { name: "gpt".to_owned(), ..request };
    [
        named(with_tools(request([user("weather?")]))),
        named(with_tools(request(history))),
        named(request([user("time?")])),
    ]
}

fn diff(recordings: &Path, components: &Path, flags: &[&str]) -> Output {
    let mut command = mynah();
    command.args(["diff", recordings.to_str().unwrap(), "--upstream", "openai"]);
    command.args(["--resources-path", components.to_str().unwrap()]).args(flags);
    Process::start(&mut command).wait()
}

#[tokio::test]
async fn says_what_has_changed() {
    let (before, recordings) = (model(BEFORE), scratch("recordings"));
    let components = component_of(&before);
    let sidecar = recorder(&components, &recordings);
    for asks in asks() {
        sidecar.converse(asks).await.unwrap();
    }
    stop(sidecar).await;
    let recorded = super::recorded(&recordings);
    let same = diff(&recordings, &components, &["--fail-on", "finish,tools,schema,text"]);
    assert_eq!(
        (same.code, &*same.stdout),
        (Some(0), "3 requests: 0 changed, 0 failed; 6 + 11 tokens\n")
    );
    let after = model(AFTER);
    let components = component_of(&after);
    let changed = diff(&recordings, &components, &[]);
    assert_eq!(changed.code, Some(0), "{}", changed.stderr);
    assert_snapshot!(changed.stdout);
    for (aspect, code) in [("text", 1), ("finish", 1), ("schema", 1), ("tools", 1)] {
        assert_eq!(diff(&recordings, &components, &["--fail-on", aspect]).code, Some(code));
    }
    let json: Value =
        serde_json::from_str(&diff(&recordings, &components, &["--json"]).stdout).unwrap();
    assert_eq!((&json["changed"], &json["failed"]), (&json!(2), &json!(0)));
    assert_eq!(json["exchanges"][0]["changes"][0]["aspect"], "tools");
    assert_eq!(super::recorded(&recordings), recorded, "nothing is written");
}

#[tokio::test]
async fn structured_answers_and_all_arguments_are_compared() {
    let model_that_says = |kind: &str, args: &str| {
        model(&format!(
            "rules:\n- {{match: {{user: sort}}, respond: '{{\"kind\": \"{kind}\"}}'}}\n\
             - respond: [{{tool_call: [{{name: get_weather, args: {args}}}]}}]\n"
        ))
    };
    let (before, recordings) =
        (model_that_says("order", "{city: Paris, unit: c}"), scratch("recordings"));
    let sidecar = recorder(&component_of(&before), &recordings);
    let schema = json!({"type": "object", "properties": {"kind": {"enum": ["order", "other"]}}});
    let format =
        json!({"type": "json_schema", "json_schema": {"name": "sorted", "schema": schema}});
    let messages = json!([{"role": "user", "content": "sort this"}]);
    let sorts = json!({"model": "gpt", "messages": messages, "response_format": format});
    assert_eq!(sidecar.post("/v1/chat/completions", sorts.to_string()).await.status, 200);
    let [weather, ..] = asks();
    sidecar.converse(weather).await.unwrap();
    stop(sidecar).await;
    let after = model_that_says("lamp", "{city: Paris, days: 2}");
    let components = component_of(&after);
    assert_snapshot!(diff(&recordings, &components, &[]).stdout);
    for (aspects, code) in [("finish", 0), ("finish,schema", 1)] {
        let output = diff(&recordings, &components, &["--fail-on", aspects]);
        assert_eq!(output.code, Some(code), "{aspects}");
    }
    let one_at_a_time =
        diff(&recordings, &components, &["--component", "gpt", "--concurrency", "1"]);
    assert_eq!(one_at_a_time.stdout, diff(&recordings, &components, &[]).stdout);
}

/// Two calls of one tool, of which the second one changes.
#[tokio::test]
async fn parallel_calls_are_told_apart() {
    let model_that_asks = |second: &str| {
        let call = |city: &str| format!("{{name: get_weather, args: {{city: {city}}}}}");
        let calls = [call("Paris"), call(second)].join(", ");
        model(&format!("rules: [{{respond: [{{tool_call: [{calls}]}}]}}]"))
    };
    let (before, recordings) = (model_that_asks("Rome"), scratch("recordings"));
    let sidecar = recorder(&component_of(&before), &recordings);
    let [weather, ..] = asks();
    sidecar.converse(weather).await.unwrap();
    stop(sidecar).await;
    let after = model_that_asks("5");
    assert_snapshot!(diff(&recordings, &component_of(&after), &[]).stdout, @r#"
    gpt: weather?
      tools   call 2: get_weather.city: "Rome" → 5
      schema  call 2: get_weather: the value is not of type "string" at /city
    1 request: 1 changed (tools 1, schema 1), 0 failed; 2 + 12 tokens
    "#);
}

/// A sequence whose second answer changes.
#[tokio::test]
async fn each_answer_of_a_sequence_is_compared() {
    let model_that_says = |second: &str| {
        model(&format!("rules: [{{sequence: [{{respond: one}}, {{respond: {second}}}]}}]"))
    };
    let (before, recordings) = (model_that_says("two"), scratch("recordings"));
    let sidecar = recorder(&component_of(&before), &recordings);
    let [.., time] = asks();
    for _ in 0..2 {
        sidecar.converse(time.clone()).await.unwrap();
    }
    stop(sidecar).await;
    let after = model_that_says("three");
    let changed = diff(&recordings, &component_of(&after), &[]);
    assert_snapshot!(changed.stdout);
    let after = model_that_says("three");
    let json = diff(&recordings, &component_of(&after), &["--json"]).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["exchanges"][1]["answer"], 2);
}

/// The model runs in this process while `mynah diff` does.
#[tokio::test(flavor = "multi_thread")]
async fn all_choices_are_compared() {
    let reply = |texts: &[&str]| {
        let choice =
            |text: &&str| json!({ "message": { "content": text }, "finish_reason": "stop" });
        json!({ "choices": texts.iter().map(choice).collect::<Value>() }).to_string()
    };
    let recordings = scratch("recordings");
    let before = Model::json("200 OK", &reply(&["one", "two", "three"])).await;
    let sidecar = recorder(&component(&before.endpoint), &recordings);
    let asks = json!({ "model": "gpt", "messages": [{ "role": "user", "content": "hello" }] });
    assert_eq!(sidecar.post("/v1/chat/completions", asks.to_string()).await.status, 200);
    stop(sidecar).await;
    let same = diff(&recordings, &component(&before.endpoint), &[]).stdout;
    assert!(same.starts_with("1 request: 0 changed"), "{same}");
    let after = Model::json("200 OK", &reply(&["one", "2"])).await;
    assert_snapshot!(diff(&recordings, &component(&after.endpoint), &[]).stdout);
}

/// Rules of the user's own, which have the request of a recorded exchange and other conditions.
#[tokio::test]
async fn each_rule_is_compared_with_its_own_answer() {
    let (model, recordings) = (model("rules: [{respond: Hi.}]"), scratch("recordings"));
    let components = component_of(&model);
    let sidecar = recorder(&components, &recordings);
    let [.., time] = asks();
    sidecar.converse(time).await.unwrap();
    stop(sidecar).await;
    let text = super::recorded(&recordings);
    let own = |name: &str, condition: &str| {
        format!(
            "- name: {name}\n  match:\n    {condition}\n    request:\n      component: gpt\n      messages:\n      \
             - role: user\n        text: time?\n  respond: Own.\n"
        )
    };
    let rules = [own("holds", "user: time?"), own("does not hold", "session: other")].concat();
    let text = text.replace("rules:\n", &format!("rules:\n{rules}"));
    fs::write(recordings.join("gpt.yaml"), text).unwrap();
    assert_snapshot!(diff(&recordings, &components, &[]).stdout);
    let json = diff(&recordings, &components, &["--json"]).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["left_out"], &json["exchanges"][1]["left_out"]), (&json!(1), &json!(true)));
}

#[tokio::test]
async fn secrets_are_not_shown() {
    let (before, recordings) = (model("rules: [{respond: Hello.}]"), scratch("recordings"));
    let components = component_of(&before);
    let sidecar = recorder(&components, &recordings);
    let [weather, _, time] = asks();
    for asks in [weather, time] {
        sidecar.converse(asks).await.unwrap();
    }
    stop(sidecar).await;
    let after = model(&format!(
        "rules:\n- {{match: {{user: time}}, respond: {{error: {{code: INTERNAL, message: \"No sk-planted-1234567890\"}}}}}}\n\
         - respond: [{{text: \"Use {KEY} or sk-planted-1234567890.\"}}, {{tool_call: [{{name: get_weather, \
         args: {{city: sk-planted-9876543210}}}}]}}]\n"
    ));
    let components = component_of(&after);
    for flags in [&[][..], &["--json"]] {
        let Output { stdout, stderr, .. } = diff(&recordings, &components, flags);
        assert!(stdout.contains("[redacted]"), "{stdout}");
        assert!(!stdout.contains("planted") && !stderr.contains("planted"), "{stdout}{stderr}");
    }
}

#[tokio::test]
async fn failed_requests_fail() {
    let (before, recordings) = (model(BEFORE), scratch("recordings"));
    let components = component_of(&before);
    let sidecar = recorder(&components, &recordings);
    let [_, _, time] = asks();
    sidecar.converse(time).await.unwrap();
    stop(sidecar).await;
    drop(before);
    let failed = diff(&recordings, &components, &[]);
    assert_eq!(failed.code, Some(1));
    assert_snapshot!(failed.stdout);
}

#[test]
fn says_why_there_is_nothing_to_compare() {
    let (components, recordings) = (component("http://127.0.0.1:9/v1"), scratch("recordings"));
    let place = recordings.to_str().unwrap();
    let mut errors = Vec::new();
    let mut check = |recordings: &Path, flags: &[&str]| {
        let output = diff(recordings, &components, flags);
        errors.push(format!("{:?} {}", output.code, output.stderr.replace(place, "FOLDER")));
    };
    check(&recordings.join("missing"), &[]);
    check(&recordings, &[]);
    let file = recordings.join("other.yaml");
    fs::write(&file, "rules: []").unwrap();
    check(&file, &[]);
    check(&recordings, &[]);
    check(&recordings, &["--component", "other"]);
    assert_snapshot!(errors.concat());
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    let components = component("http://127.0.0.1:9/v1");
    let file = components.join("gpt.yaml");
    let yaml = fs::read_to_string(&file).unwrap();
    fs::write(&file, yaml.replace(&format!("value: {KEY}"), "envRef: NO_SUCH_KEY")).unwrap();
    let recordings = scratch("recordings");
    fs::write(recordings.join("gpt.yaml"), "").unwrap();
    let output = diff(&recordings, &components, &[]);
    assert_eq!(output.code, Some(1));
    let cause = r#"key: the environment variable "NO_SUCH_KEY" is not set"#;
    let checked = Process::start(mynah().args([
        "check",
        components.to_str().unwrap(),
        "--upstream",
        "openai",
    ]));
    for shown in [output.stderr, checked.wait().stdout] {
        assert!(shown.contains(cause) && !shown.contains("missing"), "{shown}");
        assert!(!shown.contains("(warning)"), "{shown}");
    }
}
