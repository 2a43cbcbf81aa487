//! Chat fixtures of aimock in place of rules.

use std::{fs, path::PathBuf};

use insta::assert_snapshot;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{
        assistant, assistant_with_calls, prompt, request, system, tool, tool_call, tool_result,
        user,
    },
    process::run,
    scratch,
};

const FIXTURES: &str = r#"{"fixtures": [
  {"match": {"userMessage": "plan a trip", "turnIndex": 0},
   "response": {"toolCalls": [{"id": "call_1", "name": "search", "arguments": {"to": "Rome"}}]}},
  {"match": {"toolCallId": "call_1", "toolResultContains": "\"price\"", "turnIndex": 1},
   "response": {"content": "Booked {{ it }}."}},
  {"match": {"userMessage": "plan a trip", "turnIndex": 2}, "response": {"content": "Already planned."}},
  {"match": {"userMessage": "joke", "sequenceIndex": 0}, "response": {"content": "first joke"}},
  {"match": {"userMessage": "joke", "sequenceIndex": 1}, "response": {"error": {"message": "tired"}, "status": 429}},
  {"match": {"userMessage": "joke"}, "response": {"content": "no more jokes"}},
  {"match": {"toolName": "get_time"}, "response": {"content": "It is noon."}},
  {"match": {"systemMessage": ["Ann", "Bob"]}, "response": {"content": "Hello, both."}},
  {"match": {"inputText": "x"}, "response": {"embedding": [0.5]}},
  {"match": {}, "response": {"content": {"unknown": true}}}
]}"#;

fn write_fixtures() -> PathBuf {
    let file = scratch("aimock").join("fixtures.json");
    fs::write(&file, FIXTURES).unwrap();
    file
}

fn requests() -> Vec<ConversationRequestAlpha2> {
    let calls = || assistant_with_calls("", [tool_call("call_1", "search", "{}")]);
    let trip = user("Please plan a trip.");
    vec![
        request([trip.clone()]),
        request([trip.clone(), calls(), tool_result("call_1", "search", r#"{"price": 9}"#)]),
        request([trip.clone(), calls(), tool_result("call_1", "search", "full")]),
        request([trip.clone(), assistant("a"), assistant("b"), trip]),
        request([user("a joke")]),
        request([user("a joke")]),
        request([user("a joke")]),
        prompt("hi", [tool("get_time", json!({}))]),
        request([system("You are Ann."), system("I am Bob."), user("hi")]),
        request([user("hi")]),
    ]
}

/// Returns the answers to all requests, one per line.
async fn answers(rules: &str) -> String {
    let sidecar = Sidecar::start_with(&["--rules", rules]);
    let mut lines = String::new();
    for request in requests() {
        lines += &match sidecar.converse(request).await {
            Ok(answer) if !answer.called_tools().is_empty() => {
                format!("calls {}\n", answer.called_tools().join(", "))
            }
            Ok(answer) => answer.content + "\n",
            Err(status) => format!("{:?}: {}\n", status.code(), status.message()),
        };
    }
    lines
}

#[tokio::test]
async fn fixtures_answer_as_they_are_and_when_converted() {
    let fixtures = write_fixtures();
    let as_they_are = answers(fixtures.to_str().unwrap()).await;
    assert_snapshot!(as_they_are, @r#"
    calls search
    Booked {{ it }}.
    calls search
    Already planned.
    first joke
    ResourceExhausted: failed conversing with component echo: tired
    no more jokes
    It is noon.
    Hello, both.
    {"unknown":true}
    "#);
    let converted = fixtures.with_extension("yaml");
    fs::write(&converted, run(&["import", "aimock", fixtures.to_str().unwrap()]).stdout).unwrap();
    assert_eq!(answers(converted.to_str().unwrap()).await, as_they_are);
}

#[test]
fn warnings_have_places() {
    let file = write_fixtures();
    let output = run(&["check", file.to_str().unwrap()]);
    let output = output.stdout.replace(file.parent().unwrap().to_str().unwrap(), "[folder]");
    assert_snapshot!(output, @"
    [folder]/fixtures.json:12:13: skipped: the condition `inputText` never holds, because fixtures answer chats only (warning)
    0 components, 1 rules file, 0 errors, 1 warning
    ");
}

/// Writes fixtures and returns the output of `mynah check` and of `mynah import`.
fn checked_and_imported(text: &str) -> String {
    let file = scratch("aimock").join("fixtures.json");
    fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let (check, import) = (run(&["check", path]), run(&["import", "aimock", path]));
    let output = check.stdout + &import.stdout + &import.stderr;
    output.replace(file.parent().unwrap().to_str().unwrap(), "[folder]")
}

#[test]
fn only_fixtures_that_rules_cannot_express_are_skipped() {
    let text = format!(
        r#"{{"fixtures": [
  {{"match": {{"userMessage": "a"}}, "response": {{"error": {{"message": "busy"}}}}, "truncateAfterChunks": 3}},
  {{"match": {{}}, "response": {{"content": "b", "finishReason": "{}"}}}},
  {{"match": {{}}, "response": {{"toolCalls": [{{"name": "", "arguments": {{}}}}]}}}},
  {{"match": {{}}, "response": {{"content": "last"}}}}
]}}"#,
        "x".repeat(65)
    );
    assert_snapshot!(checked_and_imported(&text), @r#"
    [folder]/fixtures.json:2:102: ignored: `truncateAfterChunks`: an error has no chunks (warning)
    [folder]/fixtures.json:3:3: skipped: respond, finish_reason: must have at most 64 characters (warning)
    [folder]/fixtures.json:4:3: skipped: respond, item 1, call 1, name: must not be empty (warning)
    0 components, 1 rules file, 0 errors, 3 warnings
    rules:
      - name: fixture 1
        match: {"user":{"contains":"a","join":"","skip_empty":true}}
        respond: {"error":{"code":"INTERNAL","message":"busy"}}
      - name: fixture 4
        match: {}
        respond: [{"text":"last"}]
    [folder]/fixtures.json:2:102: ignored: `truncateAfterChunks`: an error has no chunks (warning)
    [folder]/fixtures.json:3:3: skipped: respond, finish_reason: must have at most 64 characters (warning)
    [folder]/fixtures.json:4:3: skipped: respond, item 1, call 1, name: must not be empty (warning)
    "#);
}

#[test]
fn arguments_that_are_nested_too_deep_are_skipped() {
    let file = scratch("aimock").join("fixtures.json");
    let deep = "[".repeat(70) + &"]".repeat(70);
    let call = format!(r#"{{"name": "f", "arguments": {{"a": {deep}}}}}"#);
    let fixtures = format!(
        r#"{{"fixtures": [{{"match": {{}}, "response": {{"toolCalls": [{call}]}}}},
           {{"match": {{}}, "response": {{"content": "last"}}}}]}}"#
    );
    fs::write(&file, fixtures).unwrap();
    let import = run(&["import", "aimock", file.to_str().unwrap()]);
    assert!(import.stdout.contains("fixture 2") && !import.stdout.contains("fixture 1"));
    assert!(import.stderr.contains(":1:15: skipped: nested deeper than 64 levels (warning)"));
}

#[test]
fn mistakes_in_the_json_have_places() {
    assert_snapshot!(checked_and_imported("{\"fixtures\": [\n  {\"match\": {}, \"response\": {}},\n]}"), @"
    [folder]/fixtures.json:3:1: not a fixture file of aimock: trailing comma
    0 components, 1 rules file, 1 error, 0 warnings
    [folder]/fixtures.json:3:1: not a fixture file of aimock: trailing comma
    ");
}

/// Starts a sidecar with fixtures.
fn serve(fixtures: &str) -> Sidecar {
    let file = scratch("aimock").join("fixtures.json");
    fs::write(&file, fixtures).unwrap();
    Sidecar::start_with(&["--rules", file.to_str().unwrap()])
}

/// Calls OpenAI's API. Returns the message of the answer.
async fn complete(sidecar: &Sidecar, headers: &[(&str, &str)], request: &Value) -> Value {
    let mut post = direct_client().post(sidecar.url("/v1/chat/completions"));
    for (name, value) in headers {
        post = post.header(*name, *value);
    }
    let answer = sidecar.send(post.body(request.to_string())).await.json();
    answer["choices"][0]["message"].clone()
}

fn user_texts(messages: &[&[&str]]) -> Value {
    let part = |text: &&str| json!({ "type": "text", "text": text });
    let parts = |texts: &&[&str]| texts.iter().map(part).collect::<Vec<_>>();
    let message = |texts| json!({ "role": "user", "content": parts(texts) });
    json!({ "model": "gpt-4o", "messages": messages.iter().map(message).collect::<Vec<_>>() })
}

#[tokio::test]
async fn a_context_is_a_session() {
    let sidecar = serve(
        r#"{"_comment": "lights", "fixtures": [{"_comment": "first"},
        {"match": {"userMessage": "lamp", "context": "12"}, "response": {"content": "Dimmed."}}]}"#,
    );
    let mut request = user_texts(&[&["the lamp"]]);
    for (headers, answer) in [
        (vec![("x-aimock-context", "12")], "Dimmed."),
        (vec![("mynah-session", "12")], "Dimmed."),
        (vec![("mynah-session", "other"), ("x-aimock-context", "12")], "the lamp"),
        (vec![("x-aimock-context", "other")], "the lamp"),
        (vec![], "the lamp"),
    ] {
        let message = complete(&sidecar, &headers, &request).await;
        assert_eq!(message["content"], answer, "{headers:?}");
    }
    request["metadata"] = json!({ "mynah-session": "12" });
    let message = complete(&sidecar, &[("x-aimock-context", "other")], &request).await;
    assert_eq!(message["content"], "Dimmed.");
}

#[tokio::test]
async fn string_arguments_are_sent_as_they_are() {
    let arguments = r#"{"level": 30,  "room": "{{ attic }}"}"#;
    let call = json!({ "name": "dim_lamp", "arguments": arguments });
    let response = json!({ "toolCalls": [call] });
    let fixture = json!({ "match": { "userMessage": "lamp" }, "response": response });
    let sidecar = serve(&json!({ "fixtures": [fixture] }).to_string());
    let message = complete(&sidecar, &[], &user_texts(&[&["the lamp"]])).await;
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], arguments, "{message}");
}

#[tokio::test]
async fn texts_are_joined_and_messages_without_text_are_skipped() {
    let sidecar = serve(
        r#"{"fixtures": [
        {"match": {"userMessage": "paint the shed"}, "response": {"content": "It is green."}}]}"#,
    );
    let parts: [&[&[&str]]; 2] = [&[&["paint the", " shed"]], &[&["paint the shed"], &[]]];
    for messages in parts {
        let message = complete(&sidecar, &[], &user_texts(messages)).await;
        assert_eq!(message["content"], "It is green.", "{messages:?}");
    }
}

#[test]
fn the_reasons_are_shown_if_all_fixtures_are_skipped() {
    let text = r#"{"fixtures": [{"match": {"inputText": "x"}, "response": {"embedding": [0.5]}}]}"#;
    assert_snapshot!(checked_and_imported(text), @"
    [folder]/fixtures.json:1:1: no fixture has a meaning in mynah; expected at least one for chats
    [folder]/fixtures.json:1:25: skipped: the condition `inputText` never holds, because fixtures answer chats only
    0 components, 1 rules file, 2 errors, 0 warnings
    [folder]/fixtures.json:1:1: no fixture has a meaning in mynah; expected at least one for chats
    [folder]/fixtures.json:1:25: skipped: the condition `inputText` never holds, because fixtures answer chats only
    ");
}
