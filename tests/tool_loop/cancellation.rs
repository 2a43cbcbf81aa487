//! Tests of runs that the caller cancels or drops.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, StreamExt};
use mynah::{
    chat::{Delta, Request},
    provider::{Answering, CallContext, Provider},
    tool_loop::{CancellationToken, LoopEnd, LoopEvent, LoopSettings, ToolLoop, ToolRegistry},
};

use super::{
    ask, assert_every_call_has_a_result,
    doubles::{add, calls_then_repeats, settle, single_tool, sleep},
    outcomes,
};

/// Counts how often it is dropped.
struct CountDrops(Arc<AtomicU32>);

impl Drop for CountDrops {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Returns a tool that never returns, a tool that returns immediately, and a counter of how often
/// the first one was dropped.
fn waiting() -> (ToolRegistry, Arc<AtomicU32>) {
    let dropped = Arc::new(AtomicU32::new(0));
    let counted = dropped.clone();
    let mut registry = single_tool("wait", move |_| {
        let guard = CountDrops(counted.clone());
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    add(&mut registry, "quick", async |_| Ok("quick".into()));
    (registry, dropped)
}

/// A consumer that does not poll must not hold up its tools, or the circuit of other runs.
#[tokio::test(start_paused = true)]
async fn tools_go_on_if_nobody_polls() {
    let (registry, dropped) = waiting();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let events = tool_loop.run(calls(), ask("Go!")).stream();
    let mut run = tool_loop.run(calls(), ask("Go!")).into_future();
    assert!((&mut run).now_or_never().is_none());
    sleep(Duration::from_secs(31)).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 2, "both calls timed out");
    let Some(LoopEvent::Ended(result)) = events.collect::<Vec<_>>().await.pop() else {
        panic!("no end")
    };
    assert_eq!(outcomes(&result), ["succeeded", "timed_out"]);
    assert_eq!(run.await, result);
}

fn calls() -> Arc<dyn Provider> {
    calls_then_repeats(&[&[("quick", "{}"), ("wait", "{}")]])
}

#[tokio::test]
async fn a_token_cancels_the_run_and_its_tools() {
    let (registry, dropped) = waiting();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let cancel = CancellationToken::new();
    let mut running = tool_loop.run(calls(), ask("Go!")).cancel_with(cancel.clone()).into_future();
    assert!((&mut running).now_or_never().is_none());
    settle().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    cancel.cancel();
    let result = running.await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(result.end, LoopEnd::Cancelled);
    assert_eq!(outcomes(&result), ["succeeded", "interrupted"]);
    assert_every_call_has_a_result(&result);
}

#[tokio::test]
async fn dropping_the_future_drops_the_tools() {
    let (registry, dropped) = waiting();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let mut running = tool_loop.run(calls(), ask("Go!")).into_future();
    assert!((&mut running).now_or_never().is_none());
    settle().await;
    drop(running);
    settle().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn dropping_the_stream_drops_the_tools() {
    let (registry, dropped) = waiting();
    let tool_loop = Arc::new(ToolLoop::new(registry, LoopSettings::default()).unwrap());
    let mut events = tool_loop.run(calls(), ask("Go!")).stream();
    let mut names = Vec::new();
    while names.len() < 3 {
        names.push(match events.next().await.unwrap() {
            LoopEvent::ToolStarted { name, .. } => format!("{name} starts"),
            LoopEvent::ToolFinished(record) => format!("{} ends", record.name),
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(names, ["quick starts", "quick ends", "wait starts"]);
    drop(events);
    settle().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn reports_calls_that_are_cancelled() {
    let (registry, dropped) = waiting();
    let tool_loop = Arc::new(ToolLoop::new(registry, LoopSettings::default()).unwrap());
    let cancel = CancellationToken::new();
    let mut events = tool_loop.run(calls(), ask("Go!")).cancel_with(cancel.clone()).stream();
    let mut finished = Vec::new();
    let end = loop {
        match events.next().await.unwrap() {
            LoopEvent::ToolStarted { name, .. } if name == "wait" => cancel.cancel(),
            LoopEvent::ToolFinished(record) => finished.push(record),
            LoopEvent::Ended(result) => break result,
            _ => {}
        }
    };
    assert_eq!((end.end, dropped.load(Ordering::SeqCst)), (LoopEnd::Cancelled, 1));
    assert_eq!(end.calls, finished);
}

#[tokio::test]
async fn does_not_start_if_the_token_is_already_cancelled() {
    let (registry, _) = waiting();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let result = tool_loop.run(calls(), ask("Go!")).cancel_with(cancel).await;
    assert_eq!((result.turns, result.end, result.response), (0, LoopEnd::Cancelled, None));
    assert_eq!(result.transcript, ask("Go!").messages);
}

/// A model that streams one piece of text and never finishes.
struct Unfinished;

impl Provider for Unfinished {
    fn answer(self: Arc<Self>, _: Arc<Request>, _: CallContext) -> Answering {
        let first = futures_util::stream::iter([Ok(Delta::Text("Er".to_owned()))]);
        Answering::Pieces(first.chain(futures_util::stream::pending()).boxed())
    }
}

/// A model that hangs must not keep a run forever, even with the default settings.
#[tokio::test(start_paused = true)]
async fn every_run_ends_with_default_settings() {
    let (registry, _) = waiting();
    let tool_loop = ToolLoop::new(registry, LoopSettings::default()).unwrap();
    let run = tool_loop.run(Arc::new(Unfinished), ask("Go!"));
    assert_eq!(run.await.end, LoopEnd::Budget);
}

#[tokio::test(start_paused = true)]
async fn abandons_a_hanging_model_on_timeout_and_on_cancellation() {
    let (registry, _) = waiting();
    let wall_clock = Duration::from_secs(60);
    let settings = LoopSettings { wall_clock, ..LoopSettings::default() };
    let tool_loop = Arc::new(ToolLoop::new(registry, settings).unwrap());
    let result = tool_loop.run(Arc::new(Unfinished), ask("Go!")).await;
    assert_eq!(result.end, LoopEnd::Budget);
    let cancel = CancellationToken::new();
    let mut events =
        tool_loop.run(Arc::new(Unfinished), ask("Go!")).cancel_with(cancel.clone()).stream();
    // Text arrives before the model finishes.
    assert_eq!(events.next().await, Some(LoopEvent::Text("Er".to_owned())));
    cancel.cancel();
    let Some(LoopEvent::Ended(result)) = events.next().await else { panic!("no end") };
    assert_eq!(result.end, LoopEnd::Cancelled);
    assert_eq!(events.next().await, None);
}
