//! Tests that with random models and settings, every run ends and its transcript is a valid
//! history.

use std::collections::BTreeSet;

use mynah::{
    chat::{Response, ToolCall},
    tool_loop::{
        DuplicatePolicy, LoopSettings, Rendering, ToolError, ToolLoop, ToolSettings, Wording,
    },
};
use proptest::prelude::*;

use super::{
    doubles::{add, identity, model, turn},
    run_again,
};

const NAMES: [&str; 4] = ["works", "fails", "hangs", "unknown"];
const ARGUMENTS: [&str; 5] = ["{}", r#"{"x":1}"#, r#"{"x":1.0}"#, "x,y", ""];
const MANY: &str =
    "AI ACTION (Turn 1): Executing Hangs\nAI ACTION: Executing Works with parameters: x: 1";
const IDS: [Option<&str>; 4] = [None, Some(""), Some("0"), Some("tool-call-1-1")];

fn call() -> impl Strategy<Value = ToolCall> {
    let parts = (0..NAMES.len(), 0..ARGUMENTS.len(), 0..IDS.len());
    parts.prop_map(|(name, arguments, id)| ToolCall {
        id: IDS[id].map(str::to_owned),
        name: NAMES[name].to_owned(),
        arguments: ARGUMENTS[arguments].to_owned(),
    })
}

/// Generates the turns of a model, which the model repeats from the start.
fn turns() -> impl Strategy<Value = Vec<Response>> {
    let content = prop::sample::select(vec!["", "hm", "AI ACTION: Executing Works", MANY]);
    let response = (content, prop::collection::vec(call(), 0..5));
    let response = response.prop_map(|(content, tool_calls)| Response {
        content: content.to_owned(),
        tool_calls,
        ..Response::default()
    });
    prop::collection::vec(response, 1..6)
}

fn settings() -> impl Strategy<Value = LoopSettings> {
    let duplicates = prop::sample::select(vec![
        DuplicatePolicy::Previous,
        DuplicatePolicy::AnySuccessful,
        DuplicatePolicy::Off,
    ]);
    let limits = (1..=50_u32, prop::option::of(1..20_u32), 1..9_usize, 0..3_u32, any::<bool>());
    let text = Rendering::Text(Wording::default());
    let rendering = prop::sample::select(vec![Rendering::Native, text]);
    (duplicates, rendering, limits).prop_map(|(duplicates, rendering, limits)| {
        let (max_turns, max_calls, max_concurrency, retries, repeatable) = limits;
        let tools = ToolSettings { retries, repeatable, ..ToolSettings::default() };
        let base = LoopSettings { duplicates, rendering, tools, ..LoopSettings::default() };
        LoopSettings { max_turns, max_calls, max_concurrency, ..base }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_run_ends_with_a_valid_history(turns in turns(), settings in settings()) {
        let mut registry = identity("works");
        add(&mut registry, "fails", async |_| Err(ToolError::new("no")));
        add(&mut registry, "hangs", async |_| std::future::pending().await);
        let (max_turns, max_calls) = (settings.max_turns, settings.max_calls);
        let tool_loop = ToolLoop::new(registry, settings).unwrap();
        let model = model(move |request| Ok(turns[turn(request) % turns.len()].clone()));
        // With a paused clock, tools that hang take no time.
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        // `run_again` checks that the history is valid.
        let result = runtime.block_on(run_again(&tool_loop, model));
        prop_assert!((1..=max_turns).contains(&result.turns));
        let ran = result.calls.iter().filter(|call| !matches!(call.outcome.as_str(), "not_run" | "interrupted")).count();
        prop_assert!(max_calls.is_none_or(|max| ran <= max as usize));
        let ids: BTreeSet<_> = result.calls.iter().map(|call| &call.id).collect();
        prop_assert_eq!(ids.len(), result.calls.len());
    }
}
