//! Tests that if a call fails, the model receives the error and the conversation continues.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use insta::assert_snapshot;
use mynah::tool_loop::{
    BreakerSettings, CallFailure, CallOutcome, LoopEnd, LoopResult, LoopSettings, ToolError,
    ToolRegistry, ToolSettings,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    doubles::{add, calls_then_repeats, identity, single_tool},
    outcomes, result_texts, run,
};

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: String,
    #[serde(default)]
    count: u8,
}

fn orders() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    registry
        .register("find_order", "Finds an order", async |order: Order| match order.id.as_str() {
            "broken" => Err(ToolError::new("the database is away")),
            _ => Ok(json!({"id": order.id, "count": order.count})),
        })
        .unwrap();
    registry
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[expect(dead_code, reason = "the arguments never parse")]
    id: String,
}

fn strict() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    registry.register("strict", "Takes an id only", async |_: Strict| Ok("done")).unwrap();
    registry
}

/// Runs a loop in which the model makes one call and then answers.
async fn call(registry: ToolRegistry, name: &str, arguments: &str) -> LoopResult {
    let model = calls_then_repeats(&[&[(name, arguments)]]);
    let result = run(registry, LoopSettings::default(), model).await;
    assert_eq!((result.turns, &result.end), (2, &LoopEnd::Answered));
    assert_eq!(result.text(), result.calls[0].result.text());
    result
}

#[tokio::test]
async fn reports_each_failure_to_the_model() {
    let mut texts = Vec::new();
    for (name, arguments) in [
        ("nope", "{}"),
        ("", "{}"),
        ("find_order", "id,count"),
        ("find_order", r#"["1"]"#),
        ("find_order", "{}"),
        ("find_order", r#"{"id": 1}"#),
        ("find_order", r#"{"id": "1", "count": 256}"#),
        ("find_order", r#"{"id": "broken"}"#),
        ("find_order", r#"{"id": "1", "count": 2.0}"#),
    ] {
        let result = call(orders(), name, arguments).await;
        texts.push(format!("{}: {}", outcomes(&result)[0], result_texts(&result)[0]));
    }
    assert_snapshot!(texts.join("\n"), @r#"
    unknown: Tool 'nope' not found
    unknown: Tool '' not found
    invalid: Error executing find_order: the arguments are not a JSON object: expected value at line 1 column 1
    invalid: Error executing find_order: the arguments are not a JSON object: invalid type: sequence, expected a map at line 1 column 0
    invalid: Error executing find_order: the arguments are not valid: "id" is a required property
    invalid: Error executing find_order: the arguments are not valid: the value is not of type "string" at /id
    invalid: Error executing find_order: the arguments are not valid: the value is greater than the maximum of 255 at /count
    error: Error executing find_order: the database is away
    succeeded: {"count":2,"id":"1"}
    "#);
}

#[tokio::test]
async fn treats_empty_arguments_as_an_empty_object() {
    assert_eq!(result_texts(&call(identity("f"), "f", "").await), ["{}"]);
}

#[tokio::test]
async fn a_panic_fails_only_its_call() {
    let mut registry = single_tool("fixed", async |_| panic!("out of cheese"));
    add(&mut registry, "made", async |_| panic!("{} cheeses", 0));
    add(&mut registry, "other", async |_| std::panic::panic_any(7));
    // This tool panics before it returns a future.
    add(&mut registry, "early", |_| -> std::future::Ready<_> { panic!("too early") });
    add(&mut registry, "sound", async |arguments| Ok(arguments));
    let calls = ["fixed", "made", "other", "early", "sound"].map(|name| (name, "{}"));
    let result = run(registry, LoopSettings::default(), calls_then_repeats(&[&calls])).await;
    assert_eq!(
        result_texts(&result),
        [
            "Error executing fixed: the tool panicked: out of cheese",
            "Error executing made: the tool panicked: 0 cheeses",
            "Error executing other: the tool panicked: no message",
            "Error executing early: the tool panicked: too early",
            "{}",
        ]
    );
    assert_eq!(result.end, LoopEnd::Answered);
}

/// With `panic = "abort"`, a tool that panics would end the program.
#[test]
fn the_release_profile_unwinds() {
    let manifest = include_str!("../../Cargo.toml");
    let (_, release) = manifest.split_once("[profile.release]").expect("a profile");
    let profile = release.split("\n[").next().expect("its lines");
    assert!(profile.contains("panic = \"unwind\""), "{profile}");
}

#[tokio::test(start_paused = true)]
async fn abandons_a_tool_after_its_timeout() {
    let registry = single_tool("sleep", async |_| std::future::pending().await);
    let result = call(registry, "sleep", "{}").await;
    assert_eq!(result_texts(&result), ["Error executing sleep: no result within 30s"]);
    assert_eq!(result.calls[0].duration, Duration::from_secs(30));
}

#[tokio::test]
async fn cuts_a_result_of_ten_mebibytes() {
    let registry = single_tool("dump", async |_| Ok(json!("ü".repeat(5 << 20))));
    let result = call(registry, "dump", "{}").await;
    let (text, note) = result_texts(&result)[0].split_once('\n').unwrap();
    assert_eq!(text.len(), 1 << 20);
    assert_eq!(note, "[truncated: 1048576 of 10485760 bytes]");
    let registry = single_tool("dump", async |_| Err(ToolError::new("x".repeat(10 << 20))));
    assert!(result_texts(&call(registry, "dump", "{}").await)[0].len() < (1 << 20) + 100);
    let unwanted = format!(r#"{{"id": "1", "{}": 1}}"#, "x".repeat(10 << 20));
    let result = call(strict(), "strict", &unwanted).await;
    assert_eq!(outcomes(&result), ["invalid"]);
    assert!(result_texts(&result)[0].len() < (1 << 20) + 100);
}

/// Returns a tool that succeeds at the third attempt, and a counter of the attempts.
fn flaky() -> (ToolRegistry, Arc<AtomicU32>) {
    let tries = Arc::new(AtomicU32::new(0));
    let counted = tries.clone();
    let registry = single_tool("flaky", move |_| {
        let number = counted.fetch_add(1, Ordering::Relaxed) + 1;
        async move { if number < 3 { Err(ToolError::new("not yet")) } else { Ok(json!(number)) } }
    });
    (registry, tries)
}

#[tokio::test]
async fn retries_a_failed_tool() {
    for (retries, expected) in [(0, "Error executing flaky: not yet"), (2, "3"), (5, "3")] {
        let (registry, tries) = flaky();
        let tools = ToolSettings { retries, ..ToolSettings::default() };
        let settings = LoopSettings { tools, ..LoopSettings::default() };
        let result = run(registry, settings, calls_then_repeats(&[&[("flaky", "{}")]])).await;
        assert_eq!(result_texts(&result), [expected]);
        assert_eq!(tries.load(Ordering::Relaxed), (retries + 1).min(3));
    }
}

/// Only a transient error is retried, and only a refusal does not count for the circuit breaker.
#[tokio::test]
async fn the_kind_of_an_error_decides_about_retries() {
    let table = [
        (ToolError::new("no"), 3, "circuit_open"),
        (ToolError::failed("no"), 1, "circuit_open"),
        (ToolError::refused("no"), 1, "refused"),
    ];
    for (error, attempts, second) in table {
        let tries = Arc::new(AtomicU32::new(0));
        let counted = tries.clone();
        let mut registry = ToolRegistry::new();
        let breaker = Some(BreakerSettings { failures: 1, ..BreakerSettings::default() });
        let tool = add(&mut registry, "f", move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Err(error.clone()))
        });
        tool.with_settings(ToolSettings { retries: 2, breaker, ..ToolSettings::default() });
        let model = calls_then_repeats(&[&[("f", "{}")], &[("f", r#"{"n":1}"#)]]);
        let result = run(registry, LoopSettings::default(), model).await;
        assert_eq!(outcomes(&result)[1], second);
        assert_eq!(result.calls[0].result, "Error executing f: no");
        let expected = if second == "refused" { 2 * attempts } else { attempts };
        assert_eq!(tries.load(Ordering::Relaxed), expected);
    }
}

/// The caller of a run gets at the error behind the text that the model received.
#[tokio::test]
async fn keeps_the_source_of_an_error() {
    let registry = single_tool("f", async |_| Ok("x".parse::<u8>()?.into()));
    let result = call(registry, "f", "{}").await;
    let CallOutcome::Failed(CallFailure::Error(error)) = &result.calls[0].outcome else {
        panic!("{result:?}")
    };
    assert!(error.source().unwrap().is::<std::num::ParseIntError>());
}

#[tokio::test]
async fn does_not_retry_invalid_arguments() {
    let (registry, tries) = flaky();
    let tools = ToolSettings { retries: 5, ..ToolSettings::default() };
    let settings = LoopSettings { tools, ..LoopSettings::default() };
    run(registry, settings, calls_then_repeats(&[&[("flaky", "no JSON")]])).await;
    assert_eq!(tries.load(Ordering::Relaxed), 0);
}
