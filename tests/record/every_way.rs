//! What is recorded is repeated byte for byte on every way to ask.

use std::sync::Arc;

use futures_util::{StreamExt, future::join_all, stream};
use proptest::{
    collection::vec, option, prelude::*, sample::select, strategy::ValueTree,
    test_runner::TestRunner,
};
use serde_json::{Value, json};

use super::{
    asked::{Asked, Way},
    component, component_of, model, recorder, recorder_with, replay,
    round_trip::text,
    server::{Model, response},
    stop,
};
use crate::support::{Sidecar, http::direct_client, scratch};

/// Number of generated exchanges, each of which is asked on every way.
const EXCHANGES: usize = 40;
/// Number of clients that ask at once.
const CLIENTS: usize = 64;

/// A request, and the answer of the model.
#[derive(Debug)]
struct Case {
    asked: Asked,
    answer: Answer,
}

#[derive(Debug, Clone)]
enum Answer {
    Error(&'static str),
    Choices { choices: Vec<Choice>, chunk: usize },
}

#[derive(Debug, Clone)]
struct Choice {
    text: String,
    calls: Vec<(String, String)>,
    finish_reason: &'static str,
}

fn answer() -> impl Strategy<Value = Answer> {
    let call = (select(vec!["get_weather", "add"]), text(), 0..99_i32)
        .prop_map(|(name, text, n)| (name.to_owned(), json!({ "text": text, "n": n }).to_string()));
    let reasons = select(vec!["stop", "length", "content_filter", "tool_calls"]);
    let choice = (text(), vec(call, 0..3), reasons)
        .prop_map(|(text, calls, finish_reason)| Choice { text, calls, finish_reason });
    let errors = vec!["400 Bad Request", "401 Unauthorized", "429 Too Many", "500 Internal"];
    prop_oneof![
        5 => (vec(choice, 1..4), 1..9_usize)
            .prop_map(|(choices, chunk)| Answer::Choices { choices, chunk }),
        1 => select(errors).prop_map(Answer::Error),
    ]
}

/// Generates cases, always the same ones. The first ones have structured output and a long text.
fn cases() -> Vec<Case> {
    let asked = (text(), any::<bool>(), any::<bool>(), option::of(select(vec![0.5, 1.0])));
    let case = (asked, answer()).prop_map(|(asked, answer)| {
        let (prompt, with_result, has_tools, temperature) = asked;
        let asked = Asked { prompt, with_result, has_tools, temperature, ..Asked::default() };
        Case { asked, answer }
    });
    let mut runner = TestRunner::deterministic();
    let mut all = vec(case, EXCHANGES).new_tree(&mut runner).unwrap().current();
    let schema =
        json!({ "name": "out", "type": "object", "properties": { "a": { "type": "string" } } });
    let one = |text: String, chunk| {
        let choices = vec![Choice { text, calls: Vec::new(), finish_reason: "stop" }];
        Answer::Choices { choices, chunk }
    };
    for (number, case) in all.iter_mut().enumerate().take(5) {
        case.asked.format = Some(schema.clone());
        case.answer = one(json!({ "a": case.asked.prompt, "n": number }).to_string(), 3);
    }
    all[5].answer = one("grün ".repeat(210_000), 50_000);
    for (number, case) in all.iter_mut().enumerate() {
        case.asked.prompt = format!("{number}: {}", case.asked.prompt);
    }
    all
}

impl Answer {
    /// Returns the response of a server, as a whole or as a stream.
    fn response(&self, is_streamed: bool) -> String {
        match self {
            Self::Error(status) => {
                let error = json!({ "error": { "message": format!("no luck: {status}") } });
                response(status, "application/json", &error.to_string())
            }
            Self::Choices { choices, chunk } if is_streamed => {
                response("200 OK", "text/event-stream", &events(choices, *chunk))
            }
            Self::Choices { choices, .. } => {
                let choices = choices.iter().enumerate().map(|(index, choice)| {
                    let message = json!({ "content": choice.text, "tool_calls": choice.calls(index) });
                    json!({ "index": index, "message": message, "finish_reason": choice.finish_reason })
                });
                let choices: Vec<_> = choices.collect();
                let body = json!({ "model": "real-1", "choices": choices, "usage": usage() });
                response("200 OK", "application/json", &body.to_string())
            }
        }
    }
}

impl Choice {
    fn calls(&self, index: usize) -> Vec<Value> {
        let call = |(number, (name, arguments)): (usize, &(String, String))| {
            let function = json!({ "name": name, "arguments": arguments });
            json!({ "index": number, "id": format!("call_{index}_{number}"), "type": "function", "function": function })
        };
        self.calls.iter().enumerate().map(call).collect()
    }
}

fn usage() -> Value {
    json!({ "prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11 })
}

fn events(choices: &[Choice], chunk: usize) -> String {
    let mut events = Vec::new();
    for (index, choice) in choices.iter().enumerate() {
        let mut add = |delta: Value, reason: Value| {
            let choice = json!({ "index": index, "delta": delta, "finish_reason": reason });
            events.push(json!({ "model": "real-1", "choices": [choice] }));
        };
        let letters: Vec<char> = choice.text.chars().collect();
        for piece in letters.chunks(chunk) {
            add(json!({ "content": piece.iter().collect::<String>() }), Value::Null);
        }
        add(json!({ "tool_calls": choice.calls(index) }), Value::Null);
        add(json!({}), choice.finish_reason.into());
    }
    events.push(json!({ "choices": [], "usage": usage() }));
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    events + "data: [DONE]\n\n"
}

/// Starts a model that knows the answers by the numbers of the prompts.
async fn server(cases: Arc<Vec<Case>>) -> Model {
    Model::answering(move |request| {
        let texts = request.split("\"content\":\"");
        let mut numbers = texts.filter_map(|text| text.split_once(": ")?.0.parse::<usize>().ok());
        let number = numbers.next().expect("the prompt has a number");
        cases[number].answer.response(request.contains("\"stream\":true"))
    })
    .await
}

fn assert_equal(seen: &[u8], expected: &[u8], way: Way, case: &Case) {
    let shown =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(2_000).collect::<String>();
    assert!(
        seen == expected,
        "{way:?} {:?}\nseen:     {}\nexpected: {}",
        case.asked,
        shown(seen),
        shown(expected)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_gets_the_recorded_bytes() {
    let (cases, recordings) = (Arc::new(cases()), scratch("recordings"));
    let server = server(cases.clone()).await;
    let components = component(&server.endpoint);
    let sidecar = recorder_with(&components, &recordings, &["--record-errors"]);
    let mut recorded = Vec::new();
    for case in cases.iter() {
        for way in case.asked.ways() {
            recorded.push((case, way, case.asked.ask(&sidecar, way).await));
        }
    }
    let log = stop(sidecar).await;
    assert!(!log.contains("not recorded"), "{log}");
    drop(server);
    let sidecar = &replay(&components, &recordings);
    // In another order: from the last to the first, and every seventh.
    let asked = (0..7).flat_map(|start| recorded.iter().rev().skip(start).step_by(7));
    let asked = asked.map(|(case, way, expected)| async move {
        assert_equal(&case.asked.ask(sidecar, *way).await, expected, *way, case);
    });
    stream::iter(asked).buffer_unordered(CLIENTS).collect::<Vec<_>>().await;
}

/// Asks in a session, and returns the text.
async fn ask_in(sidecar: &Sidecar, session: &str) -> String {
    let body = r#"{"model":"gpt","messages":[{"role":"user","content":"next"}]}"#;
    let post = direct_client().post(sidecar.url("/v1/chat/completions"));
    let reply = sidecar.send(post.header("mynah-session", session).body(body)).await.json();
    reply["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_sessions_get_the_sequence_in_order() {
    const ANSWERS: [&str; 4] = ["one", "two", "two", "three"];
    let steps: Vec<_> = ANSWERS.iter().map(|text| json!({ "respond": text })).collect();
    let (model, recordings) =
        (model(&json!({ "rules": [{ "sequence": steps }] }).to_string()), scratch("recordings"));
    let components = component_of(&model);
    let sidecar = recorder(&components, &recordings);
    for expected in ANSWERS {
        assert_eq!(ask_in(&sidecar, "recorded").await, expected);
    }
    stop(sidecar).await;
    drop(model);
    let sidecar = &replay(&components, &recordings);
    let sessions = (0..CLIENTS).map(|number| async move {
        for expected in ANSWERS {
            assert_eq!(ask_in(sidecar, &format!("session {number}")).await, expected);
        }
    });
    join_all(sessions).await;
}
