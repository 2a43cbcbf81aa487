//! What is recorded can be read again, whatever the model has answered.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    component, recorded, recorder_with, replay,
    server::{Model, response},
    stop,
};
use crate::support::{Sidecar, mynah, process::Process, scratch};

const MIB: usize = 1 << 20;

/// Asks through OpenAI's API. Returns the whole reply.
async fn ask(sidecar: &Sidecar, prompt: &str, stream: bool) -> String {
    let messages = json!([{ "role": "user", "content": prompt }]);
    let body = json!({ "model": "gpt", "messages": messages, "stream": stream });
    let reply = sidecar.post("/v1/chat/completions", body.to_string()).await;
    format!("{} {}", reply.status, reply.body)
}

fn answer(message: &Value, finish_reason: &str) -> String {
    let choice = json!({ "message": message, "finish_reason": finish_reason });
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 2 });
    json!({ "choices": [choice], "usage": usage }).to_string()
}

fn calls(name: &str, arguments: &str) -> Value {
    let function = json!({ "name": name, "arguments": arguments });
    json!({ "tool_calls": [{ "id": "c1", "function": function }] })
}

/// Returns a stream with one chunk for each delta.
fn events(deltas: &[Value]) -> String {
    let event = |delta: &Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": null });
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let body =
        deltas.iter().map(event).collect::<String>() + &format!("data: {end}\n\ndata: [DONE]\n\n");
    response("200 OK", "text/event-stream", &body)
}

fn json_reply(body: &str) -> String {
    response("200 OK", "application/json", body)
}

/// Returns the last line of `mynah check`, which finds no errors.
fn check(path: &Path) -> String {
    let checked = Process::start(mynah().arg("check").arg(path)).wait();
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    checked.stdout.lines().last().unwrap().to_owned()
}

/// Records the answers of a model to these prompts. Returns the components, the replies and the log.
async fn record(
    model: &Model,
    recordings: &Path,
    prompts: &[&str],
    stream: bool,
) -> (PathBuf, Vec<String>, String) {
    let components = component(&model.endpoint);
    let sidecar = recorder_with(&components, recordings, &["--record-errors"]);
    let mut replies = Vec::new();
    for prompt in prompts {
        replies.push(ask(&sidecar, prompt, stream).await);
    }
    (components, replies, stop(sidecar).await)
}

/// Asserts that a replay gives the replies of a model.
async fn assert_repeated(reply: String, prompts: &[&str], stream: bool) {
    let recordings = scratch("recordings");
    let model = Model::start(reply).await;
    let (components, replies, log) = record(&model, &recordings, prompts, stream).await;
    assert!(!log.contains("not recorded"), "{log}");
    drop(model);
    check(&recordings);
    let sidecar = replay(&components, &recordings);
    for (prompt, expected) in prompts.iter().zip(replies) {
        let seen = ask(&sidecar, prompt, stream).await;
        let beginning = |text: &str| text.chars().take(300).collect::<String>();
        assert!(seen == expected, "{} instead of {}", beginning(&seen), beginning(&expected));
    }
}

#[tokio::test]
async fn long_chunks_are_repeated() {
    let long = |length| "grün ".repeat(length / 5);
    let deltas = [
        json!({ "reasoning_content": long(120_000) }),
        json!({ "content": long(150_000) }),
        json!({ "content": "" }),
        json!({ "content": "the end" }),
    ];
    assert_repeated(events(&deltas), &["a"], true).await;
    // A server that does not stream: the answer is one chunk.
    let whole = answer(&json!({ "content": long(MIB) }), "stop");
    assert_repeated(json_reply(&whole), &["a"], true).await;
}

/// Together, the answers have more text than a file of rules may have.
#[tokio::test]
async fn long_answers_are_repeated() {
    let text = "Birds repeat what they hear. ".repeat(5 * MIB / 29);
    let reply = json_reply(&answer(&json!({ "content": text }), "stop"));
    assert_repeated(reply, &["a", "b", "c", "d"], false).await;
}

#[tokio::test]
async fn deep_arguments_are_repeated() {
    for depth in [40, 52, 60, 100] {
        let arguments = format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        let reply = json_reply(&answer(&calls("f", &arguments), "tool_calls"));
        assert_repeated(reply, &["a"], false).await;
    }
}

/// The recorded message is as long as that of a step may be.
#[tokio::test]
async fn long_errors_are_shortened() {
    let recordings = scratch("recordings");
    let error = json!({ "error": { "message": "no ".repeat(400) } }).to_string();
    let model = Model::json("500 Internal", &error).await;
    let (components, replies, log) = record(&model, &recordings, &["a"], false).await;
    assert!(!log.contains("not recorded"), "{log}");
    let seen = ask(&replay(&components, &recordings), "a", false).await;
    let (beginning, _) = seen.split_once('…').unwrap();
    assert!(replies[0].starts_with(beginning) && beginning.len() > 490, "{seen}");
}

/// What has no form in a file of rules is not recorded. Everything else is.
#[tokio::test]
async fn what_cannot_be_read_again_is_not_recorded() {
    let hi = json!({ "content": "hi" });
    let usage = json!({ "prompt_tokens": 1_u64 << 60, "completion_tokens": 1 });
    let choice = json!({ "message": hi, "finish_reason": "stop" });
    let braces = "{{ }} ".repeat(MIB);
    let cases = [
        (
            answer(&hi, &"x".repeat(65)),
            "rule \"a\": respond, finish_reason: must have at most 64 characters",
        ),
        (answer(&calls("", "{}"), "tool_calls"), "name: must not be empty"),
        (json!({ "choices": [choice], "usage": usage }).to_string(), "prompt_tokens: must be"),
        (answer(&json!({ "content": braces }), "stop"), "braces of templates"),
    ];
    for (body, reason) in cases {
        let recordings = scratch("recordings");
        let hello = Model::json("200 OK", &answer(&hi, "stop")).await;
        record(&hello, &recordings, &["before"], false).await;
        let before = recorded(&recordings);
        let model = Model::json("200 OK", &body).await;
        let (_, replies, log) = record(&model, &recordings, &["a", "b"], false).await;
        assert!(replies.iter().all(|reply| reply.starts_with("200 ")), "{replies:?}");
        let expected = "gpt.yaml: an exchange is not recorded: ";
        assert!(log.contains(expected) && log.contains(reason), "{log}");
        assert_eq!(recorded(&recordings), before);
        let (_, _, log) = record(&hello, &recordings, &["a", "before"], false).await;
        assert!(!log.contains("not recorded"), "{log}");
        assert!(recorded(&recordings).contains("- name: a"));
        check(&recordings);
    }
}

/// A rule as it is recorded from an agent: four messages, five tools and a call.
fn of_agent(number: usize) -> String {
    let tools = ["find_order", "tool_1", "tool_2", "tool_3", "track"];
    let tools: String =
        tools.iter().map(|tool| format!("        {tool}: {number:016x}\n")).collect();
    format!(
        r#"- name: order {number}
  match:
    request:
      component: gpt
      messages:
      - role: system
        text: You are an agent for orders.
      - role: user
        text: Where is order {number}?
      - role: assistant
        tool_calls:
        - name: find_order
          args:
            id: {number}
            verbose: true
      - role: tool
        text: '{{"state": "shipped", "number": {number}}}'
        answers: 1
      tools:
{tools}      temperature: 0.2
  respond:
    messages:
    - tool_call:
      - name: track
        args:
          order: {number}
        id: call_{number}
    finish_reason: tool_calls
    model: real
    usage:
      prompt_tokens: 210
      completion_tokens: 15
    recorded:
      date: "2026-11-28"
      duration: 4ms
      model: real-2026
"#
    )
}

/// They have more values than a file of rules may have.
#[tokio::test]
async fn ten_thousand_exchanges_of_an_agent_are_read() {
    let (recordings, hi) = (scratch("recordings"), json!({ "content": "hi" }));
    let model = Model::json("200 OK", &answer(&hi, "stop")).await;
    let (components, replies, _) = record(&model, &recordings, &["a"], false).await;
    let file = recordings.join("gpt.yaml");
    let text = recorded(&recordings) + &(0..10_000).map(of_agent).collect::<String>();
    fs::write(&file, &text).unwrap();
    assert_eq!(check(&recordings), "0 components, 1 rules file, 0 errors, 0 warnings");
    assert_eq!(ask(&replay(&components, &recordings), "a", false).await, replies[0]);
    record(&model, &recordings, &["b"], false).await;
    let added = recorded(&recordings);
    assert!(added.strip_prefix(&text).unwrap().starts_with("- name: b\n"));
}
