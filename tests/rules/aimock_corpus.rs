//! Many fixture files, with the keys that published ones have and about as often.

use std::{fmt::Write, fs};

use serde_json::{Map, Value, json};

use super::ask;
use crate::support::{Sidecar, http::direct_client, process::run, scratch};

const FILES: u64 = 900;
/// The number of files whose fixtures are all for embeddings.
const UNUSABLE: u64 = 2;

/// Numbers that look random and are always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Returns `true` this often in a thousand.
    fn in_thousand(&mut self, often: u64) -> bool {
        self.below(1000) < often
    }
}

fn conditions(numbers: &mut Numbers, name: &str) -> Value {
    let mut keys = Map::new();
    let mut add = |often, key: &str, value: Value| {
        if numbers.in_thousand(often) {
            keys.insert(key.to_owned(), value);
        }
    };
    add(950, "context", json!(format!("app-{}", name.len())));
    add(850, "userMessage", json!(format!("question {name}")));
    add(290, "toolCallId", json!(format!("call_{name}")));
    add(210, "hasToolResult", json!(true));
    add(200, "turnIndex", json!(1));
    add(110, "toolName", json!("get_weather"));
    add(20, "model", json!("gpt-4o"));
    add(15, "sequenceIndex", json!(0));
    add(10, "systemMessage", json!(["Ann", "Bob"]));
    add(5, "toolResultContains", json!("\"price\""));
    add(5, "responseFormat", json!("json_object"));
    add(5, "endpoint", json!("chat"));
    keys.into()
}

fn response(numbers: &mut Numbers, name: &str) -> Value {
    let mut response = json!({});
    match numbers.below(100) {
        0 => {
            response =
                json!({"error": {"message": "busy", "type": "rate_limit_error"}, "status": 429})
        }
        1 => {
            let call = json!({"type": "toolCall", "name": "find", "arguments": {"id": name}});
            response["blocks"] = json!([{"type": "text", "text": "One moment."}, call]);
        }
        2..40 => {
            let text = format!(r#"{{"city": "{name}",  "days": 3}}"#);
            let arguments =
                if numbers.in_thousand(500) { json!(text) } else { json!({"city": name}) };
            let call = json!({"id": format!("call_{name}"), "name": "get_weather", "arguments": arguments});
            response["toolCalls"] = json!([call]);
        }
        40 => response["content"] = json!({"answer": name}),
        _ => response["content"] = json!(format!("answer {name}")),
    }
    if numbers.in_thousand(30) {
        response["reasoning"] = json!("The user wants to know.");
        response["usage"] = json!({"prompt_tokens": 3, "completion_tokens": 4});
        response["finishReason"] = json!("stop");
    }
    response
}

fn fixture(numbers: &mut Numbers, name: &str) -> Value {
    let (conditions, response) = (conditions(numbers, name), response(numbers, name));
    let mut fixture = json!({"match": conditions, "response": response});
    let mut add = |often, key: &str, value: Value| {
        if numbers.in_thousand(often) {
            fixture[key] = value;
        }
    };
    add(460, "_comment", json!("recorded"));
    add(75, "chunkSize", json!(10));
    add(5, "latency", json!(20));
    add(5, "streamingProfile", json!({"ttft": 1, "tps": 900, "jitter": 0.1}));
    add(5, "truncateAfterChunks", json!(30));
    add(5, "disconnectAfterMs", json!(30));
    add(5, "chaos", json!({"dropRate": 0.1}));
    fixture
}

/// Returns the text of a file.
fn file(number: u64) -> String {
    let fixtures: Vec<_> = match number {
        0..UNUSABLE => vec![json!({"match": {"inputText": "x"}, "response": {"embedding": [0.5]}})],
        _ => {
            let mut numbers = Numbers(number);
            let count = 1 + numbers.below(3);
            (0..count).map(|at| fixture(&mut numbers, &format!("{number}-{at}"))).collect()
        }
    };
    json!({"_meta": {"number": number}, "fixtures": fixtures}).to_string()
}

#[tokio::test]
async fn published_fixtures_load() {
    let folder = scratch("corpus");
    for number in 0..FILES {
        fs::write(folder.join(format!("{number:04}.json")), file(number)).unwrap();
    }
    let path = folder.to_str().unwrap();
    let checked = run(&["check", path]).stdout;
    let valid = FILES - UNUSABLE;
    let summary = format!("0 components, {FILES} rules files, {} errors, ", 2 * UNUSABLE);
    assert!(checked.lines().last().unwrap().starts_with(&summary), "{checked}");
    assert!(valid * 100 >= FILES * 97);

    let mut last = file(FILES - 1);
    // The turn puts it before fixtures without conditions.
    let conditions = json!({"userMessage": "the very last", "turnIndex": 0});
    let marker = json!({"match": conditions, "response": {"content": "found"}});
    last.truncate(last.rfind(']').unwrap());
    write!(last, ", {marker}]}}").unwrap();
    fs::write(folder.join("9999.json"), last).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", path]);
    assert_eq!(ask(&sidecar, "the very last question").await, "found");
    let rules = run(&["import", "aimock", path]);
    assert!(rules.stdout.contains(&format!("name: \"{path}/9999.json, fixture ")));
    fs::write(folder.join("all.yaml"), rules.stdout).unwrap();
    let imported = folder.join("all.yaml");
    let converted = Sidecar::start_with(&["--rules", imported.to_str().unwrap()]);
    assert_eq!(ask(&converted, "the very last question").await, "found");
    let body =
        json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "question 17-0"}]});
    for sidecar in [&sidecar, &converted] {
        let post = direct_client().post(sidecar.url("/v1/chat/completions"));
        let answer = sidecar.send(post.body(body.to_string())).await.json();
        assert!(answer["choices"][0]["message"].is_object(), "{answer}");
    }
}
