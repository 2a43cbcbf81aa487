//! Tests that a run that is cut at any point, and continued from its transcript, does not run a call
//! again that may have taken effect.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use futures_util::StreamExt;
use mynah::{
    chat::{Request, Response},
    provider::Provider,
    tool_loop::{
        CancellationToken, DuplicatePolicy, LoopEvent, LoopResult, LoopSettings, Rendering,
        ToolError, ToolLoop, ToolRegistry, ToolSettings, Wording,
    },
};
use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    ask,
    doubles::{add, call_response, model, text_response, turn},
};

const NAMES: [&str; 4] = ["quick", "slow", "fails", "repeatable"];

/// The calls of a turn: a tool and a number for each call.
type Calls = Vec<(&'static str, u8)>;

/// A run of a tool.
#[derive(Debug, Clone, PartialEq)]
struct ToolRun {
    call: String,
    end: ToolEnd,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ToolEnd {
    Succeeded,
    Failed,
    /// The tool did not return. It may have taken effect.
    Interrupted,
}

/// The runs of all tools, in the order in which they started.
type ToolRuns = Arc<Mutex<Vec<ToolRun>>>;

/// Returns tools that record their runs. They need no time, a few polls, or fail.
fn tools(runs: &ToolRuns) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    for name in NAMES {
        let runs = runs.clone();
        let tool = add(&mut registry, name, move |arguments| {
            let index = {
                let mut runs = runs.lock().unwrap();
                runs.push(ToolRun {
                    call: format!("{name} {arguments}"),
                    end: ToolEnd::Interrupted,
                });
                runs.len() - 1
            };
            let runs = runs.clone();
            async move {
                for _ in 0..if name == "slow" { 3 } else { 0 } {
                    tokio::task::yield_now().await;
                }
                let run = &mut runs.lock().unwrap()[index];
                if name == "fails" {
                    run.end = ToolEnd::Failed;
                    return Err(ToolError::new("no"));
                }
                run.end = ToolEnd::Succeeded;
                Ok(arguments)
            }
        });
        tool.with_settings(ToolSettings {
            repeatable: name == "repeatable",
            breaker: None,
            ..ToolSettings::default()
        });
    }
    registry
}

/// Returns a model that makes these calls, turn by turn and over again.
fn calling_model(turns: Vec<Calls>, in_text: bool) -> Arc<dyn Provider> {
    model(move |request| Ok(response(&turns[turn(request) % turns.len()], in_text)))
}

fn response(calls: &Calls, in_text: bool) -> Response {
    if in_text {
        let line =
            |(name, n): &(&str, u8)| format!("AI ACTION: Executing {name} with parameters: n: {n}");
        return text_response(calls.iter().map(line).collect::<Vec<_>>().join("\n"));
    }
    let arguments: Vec<_> = calls.iter().map(|(_, n)| format!(r#"{{"n":{n}}}"#)).collect();
    let calls = calls.iter().zip(&arguments);
    call_response(&calls.map(|((name, _), json)| (*name, json.as_str())).collect::<Vec<_>>())
}

/// Runs the loop and cancels the run after this number of events.
async fn cut(
    tool_loop: &ToolLoop,
    model: Arc<dyn Provider>,
    request: Request,
    cut_after: usize,
) -> LoopResult {
    let cancel = CancellationToken::new();
    let mut events = tool_loop.run(model, request).cancel_with(cancel.clone()).stream();
    let mut count = 0;
    loop {
        if count == cut_after {
            cancel.cancel();
        }
        count += 1;
        if let LoopEvent::Ended(result) = events.next().await.expect("an end") {
            return result;
        }
    }
}

/// Returns the calls that ran although the policy forbids it. The policy `previous` allows a call
/// that succeeded to be repeated after another call.
fn repeated(runs: &[ToolRun], policy: DuplicatePolicy) -> Vec<&str> {
    let mut forbidden = BTreeSet::new();
    let mut repeated = Vec::new();
    for ToolRun { call, end } in runs.iter().filter(|run| !run.call.starts_with("repeatable")) {
        if forbidden.contains(call) {
            repeated.push(call.as_str());
        }
        match end {
            ToolEnd::Succeeded if policy == DuplicatePolicy::Previous => {}
            ToolEnd::Succeeded | ToolEnd::Interrupted => _ = forbidden.insert(call),
            ToolEnd::Failed => {}
        }
    }
    repeated
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_run_that_is_cut_and_continued_repeats_no_call(
        turns in vec(vec((select(&NAMES[..]), 0..3_u8), 1..4), 1..5),
        cuts in vec(0..24_usize, 1..4),
        in_text in any::<bool>(),
        max_concurrency in 1..4_usize,
        duplicates in select(vec![DuplicatePolicy::Previous, DuplicatePolicy::AnySuccessful]),
    ) {
        let rendering = if in_text { Rendering::Text(Wording::default()) } else { Rendering::Native };
        let settings =
            LoopSettings { rendering, duplicates, max_concurrency, ..LoopSettings::default() };
        let runs = ToolRuns::default();
        let tool_loop = ToolLoop::new(tools(&runs), settings).unwrap();
        let model = calling_model(turns, in_text);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let mut request = ask("Go!");
        // The last run is not cut.
        for cut_after in cuts.into_iter().chain([usize::MAX]) {
            let result = runtime.block_on(cut(&tool_loop, model.clone(), request, cut_after));
            request = Request { messages: result.transcript, ..Request::default() };
        }
        let runs = runs.lock().unwrap();
        prop_assert_eq!(repeated(&runs, duplicates), [""; 0], "{:?}", runs);
    }
}
