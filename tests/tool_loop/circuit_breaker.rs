//! Tests of the circuit breaker, which opens after repeated failures and later lets one trial call
//! through.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use mynah::{
    chat::{Message, Request},
    tool_loop::{
        BreakerSettings, DuplicatePolicy, LoopSettings, ToolError, ToolLoop, ToolRegistry,
        ToolSettings,
    },
};
use prometheus::{Registry, TextEncoder};
use serde_json::json;
use tokio::time::advance;

use super::{
    ask,
    doubles::{call_response, calls_then_repeats, model, settle, single_tool, text_response},
    outcomes, result_texts, run_again,
};

/// A tool that fails until `works` is set, and counts its runs.
struct Flaky {
    works: Arc<AtomicBool>,
    runs: Arc<AtomicU32>,
}

impl Flaky {
    fn new() -> (Self, ToolRegistry) {
        let flaky = Self { works: Arc::default(), runs: Arc::default() };
        let (works, runs) = (flaky.works.clone(), flaky.runs.clone());
        let registry = single_tool("flaky", move |_| {
            runs.fetch_add(1, Ordering::Relaxed);
            let works = works.load(Ordering::Relaxed);
            async move {
                // Let other calls run in between.
                tokio::task::yield_now().await;
                if works { Ok(json!("works")) } else { Err(ToolError::new("fails")) }
            }
        });
        (flaky, registry)
    }

    /// Returns the number of runs since the last call to this function.
    fn runs(&self) -> u32 {
        self.runs.swap(0, Ordering::Relaxed)
    }
}

/// Returns the outcomes of `count` calls in one turn, each with different arguments.
async fn call(tool_loop: &ToolLoop, count: usize) -> Vec<&'static str> {
    let arguments: Vec<_> = (0..count).map(|number| format!(r#"{{"n":{number}}}"#)).collect();
    let calls: Vec<_> = arguments.iter().map(|text| ("flaky", text.as_str())).collect();
    outcomes(&run_again(tool_loop, calls_then_repeats(&[&calls])).await)
}

/// Returns the number of open breakers in the metrics. A half-open breaker is open.
fn open_breakers(tool_loop: &ToolLoop) -> String {
    let registry = Registry::new();
    tool_loop.metrics().register(&registry).unwrap();
    let text = TextEncoder::new().encode_to_string(&registry.gather()).unwrap();
    let line = text.lines().find(|line| line.starts_with("mynah_tool_open_breakers{"));
    line.and_then(|line| line.rsplit(' ').next()).unwrap_or("none").to_owned()
}

#[tokio::test(start_paused = true)]
async fn opens_after_five_failures_and_allows_one_trial() {
    let (flaky, registry) = Flaky::new();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    for _ in 0..5 {
        assert_eq!(call(&tool_loop, 1).await, ["error"]);
    }
    assert_eq!((flaky.runs(), open_breakers(&tool_loop).as_str()), (5, "1"));
    advance(Duration::from_millis(29_900)).await;
    let result = run_again(&tool_loop, calls_then_repeats(&[&[("flaky", "{}")]])).await;
    let text = "Error executing flaky: circuit open after repeated failures; try again later";
    assert_eq!((result_texts(&result), flaky.runs()), (vec![text], 0));
    // Half-open: one trial runs and fails, so the circuit opens again.
    advance(Duration::from_millis(200)).await;
    let mut trial = call(&tool_loop, 4).await;
    trial.sort_unstable();
    assert_eq!(
        (trial, flaky.runs()),
        (vec!["circuit_open", "circuit_open", "circuit_open", "error"], 1)
    );
    assert_eq!(call(&tool_loop, 1).await, ["circuit_open"]);
    // The next trial succeeds and closes the circuit.
    advance(Duration::from_secs(31)).await;
    flaky.works.store(true, Ordering::Relaxed);
    assert_eq!(call(&tool_loop, 1).await, ["succeeded"]);
    assert_eq!(call(&tool_loop, 2).await, ["succeeded"; 2]);
    assert_eq!((flaky.runs(), open_breakers(&tool_loop).as_str()), (3, "0"));
}

/// A tool that refuses a call works.
#[tokio::test]
async fn ignores_refusals() {
    let runs = Arc::new(AtomicU32::new(0));
    let counted = runs.clone();
    let registry = single_tool("flaky", move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Err(ToolError::refused("no such order")) }
    });
    let tools = ToolSettings { retries: 3, ..ToolSettings::default() };
    let settings = LoopSettings { tools, ..LoopSettings::default() };
    let tool_loop = ToolLoop::new(registry, settings).unwrap();
    assert_eq!(call(&tool_loop, 20).await, ["refused"; 20]);
    assert_eq!(runs.load(Ordering::Relaxed), 20, "there are no retries");
}

/// The model is told to try again later, so trying again is not a duplicate.
#[tokio::test(start_paused = true)]
async fn a_rejected_call_is_no_duplicate() {
    for duplicates in [DuplicatePolicy::Previous, DuplicatePolicy::AnySuccessful] {
        let (flaky, registry) = Flaky::new();
        let breaker = Some(BreakerSettings { failures: 1, ..BreakerSettings::default() });
        let tools = ToolSettings { breaker, ..ToolSettings::default() };
        let settings = LoopSettings { duplicates, tools, ..LoopSettings::default() };
        let tool_loop = ToolLoop::new(registry, settings).unwrap();
        let (first, again) = (("flaky", r#"{"n":1}"#), ("flaky", r#"{"n":2}"#));
        let turns: [&[_]; 3] = [&[first], &[again], &[again]];
        let result = run_again(&tool_loop, calls_then_repeats(&turns)).await;
        assert_eq!(outcomes(&result), ["error", "circuit_open", "circuit_open"]);
        // The same applies if the run is continued.
        advance(Duration::from_secs(31)).await;
        flaky.works.store(true, Ordering::Relaxed);
        let mut request = Request { messages: result.transcript, ..Request::default() };
        request.messages.pop();
        let model = model(move |request| match request.messages.last().map(Message::text) {
            Some(text) if text.contains("circuit") => Ok(call_response(&[again])),
            _ => Ok(text_response("done")),
        });
        let result = tool_loop.run(model, request).await;
        assert_eq!(outcomes(&result), ["succeeded"]);
    }
}

#[tokio::test]
async fn counts_consecutive_failures_only() {
    let (flaky, registry) = Flaky::new();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    for _ in 0..3 {
        flaky.works.store(false, Ordering::Relaxed);
        assert_eq!(call(&tool_loop, 4).await, ["error"; 4]);
        flaky.works.store(true, Ordering::Relaxed);
        assert_eq!(call(&tool_loop, 1).await, ["succeeded"]);
    }
}

#[tokio::test]
async fn counts_a_retried_call_once_and_ignores_invalid_arguments() {
    let (flaky, registry) = Flaky::new();
    let tools = ToolSettings { retries: 10, ..ToolSettings::default() };
    let settings = LoopSettings { tools, ..LoopSettings::default() };
    let tool_loop = ToolLoop::new(registry, settings).unwrap();
    for _ in 0..10 {
        run_again(&tool_loop, calls_then_repeats(&[&[("flaky", "no JSON")]])).await;
    }
    for _ in 0..5 {
        assert_eq!(call(&tool_loop, 1).await, ["error"]);
    }
    assert_eq!(call(&tool_loop, 1).await, ["circuit_open"]);
    assert_eq!(flaky.runs(), 55);
}

/// If a dropped trial still counted, the circuit would stay half-open forever.
#[tokio::test(start_paused = true)]
async fn ignores_a_trial_that_is_dropped() {
    let (flaky, registry) = Flaky::new();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    call(&tool_loop, 5).await;
    advance(Duration::from_secs(31)).await;
    let model = calls_then_repeats(&[&[("flaky", "{}")]]);
    let mut abandoned = tool_loop.run(model, ask("Go!")).into_future();
    assert!((&mut abandoned).now_or_never().is_none());
    // The tool is still running when the run waits for the first time.
    tokio::task::yield_now().await;
    assert_eq!(open_breakers(&tool_loop), "1");
    drop(abandoned);
    settle().await;
    flaky.works.store(true, Ordering::Relaxed);
    assert_eq!(call(&tool_loop, 1).await, ["succeeded"]);
}
