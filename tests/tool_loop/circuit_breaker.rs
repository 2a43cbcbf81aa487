//! The circuit breaker: a tool that fails too often rests, then has one call on trial.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use mynah::tool_loop::{
    CancellationToken, LoopSettings, ToolError, ToolLoop, ToolRegistry, ToolSettings,
};
use prometheus_client::{encoding::text::encode, registry::Registry};
use serde_json::json;
use tokio::time::advance;

use super::{
    ask,
    doubles::{calls_then_repeats, one},
    outcomes, run_again, told,
};

/// A tool that fails while it is told to, and counts how often it runs.
struct Moody {
    works: Arc<AtomicBool>,
    runs: Arc<AtomicU32>,
}

impl Moody {
    fn new() -> (Self, ToolRegistry) {
        let moody = Self { works: Arc::default(), runs: Arc::default() };
        let (works, runs) = (moody.works.clone(), moody.runs.clone());
        let registry = one("moody", move |_| {
            runs.fetch_add(1, Ordering::Relaxed);
            let works = works.load(Ordering::Relaxed);
            async move {
                // Long enough for others to come in between.
                tokio::task::yield_now().await;
                if works { Ok(json!("works")) } else { Err(ToolError::new("fails")) }
            }
        });
        (moody, registry)
    }

    fn runs(&self) -> u32 {
        self.runs.swap(0, Ordering::Relaxed)
    }
}

/// What becomes of so many calls of one turn, each of other arguments.
async fn call(tool_loop: &ToolLoop, count: usize) -> Vec<&'static str> {
    let arguments: Vec<_> = (0..count).map(|number| format!(r#"{{"n":{number}}}"#)).collect();
    let calls: Vec<_> = arguments.iter().map(|text| ("moody", text.as_str())).collect();
    outcomes(&run_again(tool_loop, calls_then_repeats(&[&calls])).await)
}

fn state(tool_loop: &ToolLoop) -> String {
    let (mut registry, mut text) = (Registry::default(), String::new());
    tool_loop.metrics().register(&mut registry);
    encode(&mut text, &registry).unwrap();
    let line = text.lines().find(|line| line.starts_with("mynah_tool_breaker{"));
    line.and_then(|line| line.rsplit(' ').next()).unwrap_or("none").to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_tool_rests_after_five_failures_and_has_one_trial() {
    let (moody, registry) = Moody::new();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    for _ in 0..5 {
        assert_eq!(call(&tool_loop, 1).await, ["error"]);
    }
    assert_eq!((moody.runs(), state(&tool_loop).as_str()), (5, "2"));
    advance(Duration::from_millis(29_900)).await;
    let result = run_again(&tool_loop, calls_then_repeats(&[&[("moody", "{}")]])).await;
    let text = "Error executing moody: the tool has failed too often and rests; try again later";
    assert_eq!((told(&result), moody.runs()), (vec![text], 0));
    // One gets through; the rest of them rest. It fails, so that all is as before.
    advance(Duration::from_millis(200)).await;
    let mut trial = call(&tool_loop, 4).await;
    trial.sort_unstable();
    assert_eq!((trial, moody.runs()), (vec!["error", "resting", "resting", "resting"], 1));
    assert_eq!(call(&tool_loop, 1).await, ["resting"]);
    // This time it works, and all get through.
    advance(Duration::from_secs(31)).await;
    moody.works.store(true, Ordering::Relaxed);
    assert_eq!(call(&tool_loop, 1).await, ["succeeded"]);
    assert_eq!(call(&tool_loop, 2).await, ["succeeded"; 2]);
    assert_eq!((moody.runs(), state(&tool_loop).as_str()), (3, "0"));
}

#[tokio::test]
async fn only_failures_in_a_row_count() {
    let (moody, registry) = Moody::new();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    for _ in 0..3 {
        moody.works.store(false, Ordering::Relaxed);
        assert_eq!(call(&tool_loop, 4).await, ["error"; 4]);
        moody.works.store(true, Ordering::Relaxed);
        assert_eq!(call(&tool_loop, 1).await, ["succeeded"]);
    }
}

#[tokio::test]
async fn a_call_counts_once_and_a_wrong_model_does_not() {
    let (moody, registry) = Moody::new();
    let tools = ToolSettings { retries: 10, ..ToolSettings::default() };
    let settings = LoopSettings { tools, ..LoopSettings::default() };
    let tool_loop = ToolLoop::new(registry, settings).unwrap();
    for _ in 0..10 {
        run_again(&tool_loop, calls_then_repeats(&[&[("moody", "no JSON")]])).await;
    }
    for _ in 0..5 {
        assert_eq!(call(&tool_loop, 1).await, ["error"]);
    }
    assert_eq!(call(&tool_loop, 1).await, ["resting"]);
    assert_eq!(moody.runs(), 55);
}

/// Or a caller that goes away would leave the tool at rest for ever.
#[tokio::test(start_paused = true)]
async fn a_trial_that_is_given_up_is_none() {
    let (moody, registry) = Moody::new();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    call(&tool_loop, 5).await;
    advance(Duration::from_secs(31)).await;
    let model = calls_then_repeats(&[&[("moody", "{}")]]);
    let mut abandoned = Box::pin(tool_loop.run(model, ask("Go!"), CancellationToken::new()));
    assert!((&mut abandoned).now_or_never().is_none());
    assert_eq!(state(&tool_loop), "1");
    drop(abandoned);
    moody.works.store(true, Ordering::Relaxed);
    assert_eq!(call(&tool_loop, 1).await, ["succeeded"]);
}
