//! What is recorded is repeated, byte for byte.

use std::path::Path;

use futures_util::{StreamExt, future::join_all, stream};
use proptest::{
    collection::vec, option, prelude::*, sample::select, strategy::ValueTree,
    test_runner::TestRunner,
};
use serde_json::{Value, json};

use super::{
    asked::{Asked, Way},
    component_of, model, recorder_with, replay, stop,
};
use crate::support::scratch;

/// Number of generated exchanges.
const EXCHANGES: usize = 60;

pub(super) fn text() -> impl Strategy<Value = String> {
    let special =
        select(vec!["yes", "a: b # c", "a\n\n b\n", "---\n", "\t", "\"", "\\", "é😀", "  a"]);
    vec(prop_oneof![special.prop_map(str::to_owned), "[a-zà-ö ]{1,9} "], 0..6)
        .prop_map(|parts| parts.concat())
}

fn step() -> impl Strategy<Value = Value> {
    let call = (select(vec!["get_weather", "add"]), text(), 0..99_i32).prop_map(
        |(name, text, number)| json!({ "name": name, "args": { "text": text, "n": number } }),
    );
    let answer =
        (text(), vec(call, 0..3), option::of(select(vec!["length", "content_filter"])), 1..4_u8);
    let error =
        select(vec!["INVALID_ARGUMENT", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "UNAUTHENTICATED"]);
    prop_oneof![
        9 => answer.prop_map(|(text, calls, reason, words)| {
            let calls = (!calls.is_empty()).then(|| json!({ "tool_call": calls }));
            let items: Vec<_> = [json!({ "text": text })].into_iter().chain(calls).collect();
            json!({ "messages": items, "finish_reason": reason, "words_per_chunk": words })
        }),
        1 => error.prop_map(|code| json!({ "error": { "code": code, "message": "no luck" } })),
    ]
}

/// Generates exchanges, always the same ones.
fn generated() -> Vec<Asked> {
    let one = (text(), any::<bool>(), any::<bool>(), option::of(select(vec![0.5, 1.0])), step());
    let one = one.prop_map(|(prompt, with_result, has_tools, temperature, step)| Asked {
        prompt,
        with_result,
        has_tools,
        temperature,
        format: None,
        is_spelled_differently: true,
        step,
    });
    let mut runner = TestRunner::deterministic();
    let mut all = vec(one, EXCHANGES).new_tree(&mut runner).unwrap().current();
    for (number, asked) in all.iter_mut().enumerate() {
        asked.prompt = format!("{number}: {}", asked.prompt);
    }
    all
}

fn rules(all: &[Asked]) -> String {
    let rule = |asked: &Asked| json!({ "match": { "user": { "equals": asked.prompt } }, "chain": [asked.step], "on_exhausted": "repeat_last" });
    let mut rules: Vec<_> = all.iter().map(rule).collect();
    let next = |text| json!({ "respond": text });
    rules.push(json!({ "match": { "user": "next" }, "sequence": [next("one"), next("two"), next("two"), next("three")] }));
    let long = "grün ".repeat(210_000);
    rules.push(json!({ "match": { "user": "long" }, "respond": long }));
    rules.push(
        json!({ "match": { "user": "braces" }, "respond": "{{ '{{ user }}' }} {{ '{% if %}' }}" }),
    );
    json!({ "rules": rules }).to_string()
}

/// Returns how an exchange is recorded.
fn way(number: usize, asked: &Asked) -> Way {
    let ways = asked.ways();
    ways[number % ways.len()]
}

async fn record(recordings: &Path, all: &[Asked]) -> (std::path::PathBuf, Vec<Vec<u8>>) {
    let model = model(&rules(all));
    let components = component_of(&model);
    let sidecar = recorder_with(&components, recordings, &["--record-errors"]);
    let mut answers = Vec::new();
    for (number, asked) in all.iter().enumerate() {
        answers.push(asked.ask(&sidecar, way(number, asked)).await);
    }
    stop(sidecar).await;
    (components, answers)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_gives_the_recorded_bytes() {
    let (all, recordings) = (generated(), scratch("recordings"));
    let (components, answers) = record(&recordings, &all).await;
    let sidecar = replay(&components, &recordings);
    // From 64 clients at once, in another order.
    let asked = all.iter().enumerate().rev().map(|(number, asked)| {
        let sidecar = &sidecar;
        async move { (number, asked.ask(sidecar, way(number, asked)).await) }
    });
    let replayed: Vec<_> = stream::iter(asked).buffer_unordered(64).collect().await;
    for (number, answer) in replayed {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (seen, expected) = (shown(&answer), shown(&answers[number]));
        assert_eq!(seen, expected, "{:?} {:?}", way(number, &all[number]), all[number]);
    }
    // Every other way to ask finds the exchange, too.
    let sidecar = &sidecar;
    let asked = all.iter().flat_map(|asked| asked.ways().into_iter().map(move |way| (asked, way)));
    for answer in join_all(asked.map(|(asked, way)| asked.ask(sidecar, way))).await {
        assert!(!String::from_utf8_lossy(&answer).contains("is not recorded"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recording_again_changes_nothing() {
    let (all, recordings) = (generated(), scratch("recordings"));
    record(&recordings, &all).await;
    let text = super::recorded(&recordings);
    record(&recordings, &all).await;
    assert!(text == super::recorded(&recordings), "the file has changed");
}

#[tokio::test]
async fn sequences_long_texts_and_braces_are_repeated() {
    let recordings = scratch("recordings");
    let prompts = ["next", "next", "next", "next", "next", "long", "braces"];
    let asked = |prompt: &str| Asked { prompt: prompt.to_owned(), ..Asked::default() };
    let model = model(&rules(&[]));
    let components = component_of(&model);
    let sidecar = recorder_with(&components, &recordings, &[]);
    let mut answers = Vec::new();
    for prompt in prompts {
        answers.push(asked(prompt).ask(&sidecar, Way::OpenAi).await);
    }
    stop(sidecar).await;
    drop(model);
    let sidecar = replay(&components, &recordings);
    for (prompt, expected) in prompts.into_iter().zip(answers) {
        assert!(expected.starts_with(b"200 "));
        let answer = asked(prompt).ask(&sidecar, Way::OpenAi).await;
        assert!(answer == expected, "{prompt}: {}", String::from_utf8_lossy(&answer[..99]));
    }
}
