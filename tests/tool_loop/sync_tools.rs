//! Tests of functions that are not async as tools, and of what functions may return.

use std::{
    collections::BTreeMap,
    sync::{Arc, Barrier},
    time::Duration,
};

use mynah::{
    provider::Provider,
    tool_loop::{
        LoopEnd, LoopResult, LoopSettings, ToolContext, ToolError, ToolOutput, ToolRegistry,
        ToolSettings,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::advance};

use super::{
    doubles::{calls_forever, calls_then_repeats},
    outcomes, result_texts, run,
};

#[derive(Deserialize, JsonSchema)]
struct Place {
    city: String,
}

fn forecast(Place { city }: Place) -> String {
    format!("It is sunny in {city}.")
}

#[expect(clippy::needless_pass_by_value, reason = "a tool gets its context by value")]
fn checked_forecast(place: Place, context: ToolContext) -> Result<String, ToolError> {
    if place.city.is_empty() {
        return Err("no city".into());
    }
    let ToolContext { turn, .. } = context;
    Ok(format!("{turn} of {}", forecast(place)))
}

#[tokio::test]
async fn registers_functions_that_are_not_async() {
    let mut registry = ToolRegistry::new();
    registry.register("forecast", "", forecast).unwrap();
    registry.register("checked", "", checked_forecast).unwrap();
    registry.register("degrees", "", |place: Place| place.city.len()).unwrap();
    let parse = |place: Place| Ok(json!([place.city.parse::<u8>()?]));
    registry.register("parse", "", parse).unwrap();
    let calls = [
        ("forecast", r#"{"city": "Rome"}"#),
        ("checked", r#"{"city": "Oslo"}"#),
        ("checked", r#"{"city": ""}"#),
        ("degrees", r#"{"city": "Paris"}"#),
        ("parse", r#"{"city": "7"}"#),
        ("parse", r#"{"city": "Bern"}"#),
    ];
    let result = run(registry, LoopSettings::default(), calls_then_repeats(&[&calls])).await;
    assert_eq!(
        result_texts(&result),
        [
            "It is sunny in Rome.",
            "1 of It is sunny in Oslo.",
            "Error executing checked: no city",
            "5",
            "[7]",
            "Error executing parse: invalid digit found in string",
        ]
    );
}

#[tokio::test]
async fn functions_need_no_result() {
    /// A type that can be serialized, which is returned in a `Result`.
    #[derive(Serialize)]
    struct Tip {
        tip: f64,
    }
    let mut registry = ToolRegistry::new();
    let schema = json!({"type": "object"});
    let mut names = Vec::new();
    macro_rules! tools {
        ($($function:expr,)*) => {$(
            let name = format!("f{}", names.len());
            registry.register_with_schema(&name, "", schema.clone(), $function).unwrap();
            names.push(name);
        )*};
    }
    tools! {
        |_: Value| "text",
        async |_: Value| "async text".to_owned(),
        |_: Value| 1.5,
        |_: Value| true,
        |_: Value| (),
        |_: Value| vec![1, 2],
        |_: Value| BTreeMap::from([("a", 1)]),
        |_: Value| Some("one"),
        async |arguments: Value, _: ToolContext| arguments,
        |_: Value, context: ToolContext| context.turn,
        |_: Value| ToolOutput::from("output"),
        |_: Value| Ok(Tip { tip: 9.12 }),
        async |_: Value| Ok(Tip { tip: 9.12 }),
    }
    let mut results = Vec::new();
    for name in &names {
        results.push(registry.run(name, r#"{"b": 2}"#).await.unwrap());
    }
    assert_eq!(
        results,
        [
            "text",
            "async text",
            "1.5",
            "true",
            "null",
            "[1,2]",
            r#"{"a":1}"#,
            "one",
            r#"{"b":2}"#,
            "0",
            "output",
            r#"{"tip":9.12}"#,
            r#"{"tip":9.12}"#,
        ]
    );
}

/// Both tools wait for each other, and the runtime has only one thread.
#[tokio::test(flavor = "current_thread")]
async fn sync_tools_run_concurrently() {
    let both = Arc::new(Barrier::new(2));
    let mut registry = ToolRegistry::new();
    for name in ["a", "b"] {
        let both = both.clone();
        let wait = move |_: Value| both.wait().is_leader();
        registry.register_with_schema(name, "", json!({}), wait).unwrap();
    }
    let model = calls_then_repeats(&[&[("a", "{}"), ("b", "{}")]]);
    let mut results = run(registry, LoopSettings::default(), model).await.calls;
    results.sort_by_key(|call| call.result.to_string());
    assert_eq!(
        results.iter().map(|call| call.result.text()).collect::<Vec<_>>(),
        ["false", "true"]
    );
}

/// The time after which a call is abandoned. The clock is paused, and advances when the tool works.
const LIMIT: Duration = Duration::from_secs(1);

/// Runs a tool that works until its call is abandoned. Returns when the tool has ended.
async fn run_busy_tool(settings: LoopSettings, model: Arc<dyn Provider>) -> LoopResult {
    let (sender, mut events) = mpsc::unbounded_channel();
    let work = move |_: Value, context: ToolContext| {
        sender.send("started").unwrap();
        while !context.cancel.is_cancelled() {
            std::thread::yield_now();
        }
        sender.send("ended").unwrap();
    };
    let mut registry = ToolRegistry::new();
    registry.register_with_schema("work", "", json!({}), work).unwrap();
    let advance = async {
        assert_eq!(events.recv().await, Some("started"));
        advance(LIMIT).await;
    };
    let (result, ()) = tokio::join!(run(registry, settings, model), advance);
    assert_eq!(events.recv().await, Some("ended"));
    result
}

#[tokio::test(start_paused = true)]
async fn a_sync_tool_does_not_hold_up_the_loop_after_its_timeout() {
    let tools = ToolSettings { timeout: LIMIT, ..ToolSettings::default() };
    let settings = LoopSettings { tools, ..LoopSettings::default() };
    let result = run_busy_tool(settings, calls_then_repeats(&[&[("work", "{}")]])).await;
    assert_eq!(result_texts(&result), ["Error executing work: no result within 1s"]);
    assert_eq!((outcomes(&result), result.end), (vec!["timed_out"], LoopEnd::Answered));
}

#[tokio::test(start_paused = true)]
async fn a_sync_tool_does_not_hold_up_the_end_of_a_run() {
    let settings = LoopSettings { wall_clock: LIMIT, ..LoopSettings::default() };
    let result = run_busy_tool(settings, calls_forever(&[("work", "{}")])).await;
    assert_eq!((outcomes(&result), result.end), (vec!["interrupted"], LoopEnd::Budget));
}

#[tokio::test]
async fn a_panic_of_a_sync_tool_fails_only_its_call() {
    let mut registry = ToolRegistry::new();
    let panics = |place: Place| -> String { panic!("{} is away", place.city) };
    registry.register("panics", "", panics).unwrap();
    let model = calls_then_repeats(&[&[("panics", r#"{"city": "Rome"}"#)]]);
    let result = run(registry, LoopSettings::default(), model).await;
    assert_eq!(result_texts(&result), ["Error executing panics: the tool panicked: Rome is away"]);
    assert_eq!(result.end, LoopEnd::Answered);
}
