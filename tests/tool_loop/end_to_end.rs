//! Tests of loops with mynah's echo as the model, over a real socket.

use std::sync::Arc;

use futures_util::StreamExt;
use mynah::{
    client::RemoteComponent,
    tool_loop::{LoopEnd, LoopEvent, LoopSettings, ToolLoop, ToolRegistry},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    ask, assert_every_call_has_a_result,
    registry::{Search, weather_and_tip},
};
use crate::support::Sidecar;

#[derive(Deserialize, JsonSchema)]
struct NoArguments {}

#[tokio::test]
async fn runs_a_tool_without_arguments() {
    let mut registry = ToolRegistry::new();
    registry.register("get_time", "The time", async |NoArguments {}| Ok("12:00 PM")).unwrap();
    let (sidecar, tool_loop) = (Sidecar::start(), ToolLoop::new(registry, LoopSettings::default()));
    let model = remote(&sidecar).await;
    let request = ask("What time is it?");
    let result = tool_loop.unwrap().run(model, request).await;
    assert!(result.text().contains("12:00 PM"), "{result:?}");
    assert_every_call_has_a_result(&result);
}

#[tokio::test]
async fn runs_two_tools_in_one_turn() {
    let sidecar = Sidecar::start();
    let tool_loop = ToolLoop::new(weather_and_tip(), LoopSettings::default()).unwrap();
    let question = "What's the weather in San Francisco and calculate a 20% tip on $45.60?";
    let model = remote(&sidecar).await;
    let result = tool_loop.run(model, ask(question)).await;
    assert_eq!(result.end, LoopEnd::Answered);
    let names: Vec<_> = result.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["get_weather", "calculate_tip"]);
    for call in &result.calls {
        assert!(result.text().contains(call.result.text()), "{result:?}");
    }
    assert_eq!(result.calls[0].result, "Weather in San Francisco: 72°F, sunny");
    assert_eq!(result.turns, 2);
    assert_every_call_has_a_result(&result);
}

#[tokio::test]
async fn streams_the_events_of_a_run() {
    let mut registry = ToolRegistry::new();
    registry
        .register("search_database", "Search company database", async |search: Search| {
            let found = format!("Result for: {}", search.query);
            Ok(json!({"results": [found], "count": 1}))
        })
        .unwrap();
    let sidecar = Sidecar::start();
    let tool_loop = Arc::new(ToolLoop::new(registry, LoopSettings::default()).unwrap());
    let question = "Search for customer John Doe in the search_database and write a summary";
    let model = remote(&sidecar).await;
    let events = tool_loop.run(model, ask(question)).stream();
    let events: Vec<_> = events.collect().await;
    let [
        LoopEvent::ToolStarted { name, .. },
        LoopEvent::ToolFinished(record),
        LoopEvent::ToolsFinished { turn: 1, executed: 1 },
        texts @ ..,
        LoopEvent::Ended(result),
    ] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!(name, "search_database");
    assert!(
        record.result.text().starts_with(r#"{"count":1,"results":["Result for: "#),
        "{record:?}"
    );
    let text = |event: &LoopEvent| match event {
        LoopEvent::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(texts.iter().map(text).collect::<String>(), result.text());
    assert_eq!(result.text(), record.result.text());
    assert_eq!(result.calls.as_slice(), std::slice::from_ref(record));
}

/// Connects to the sidecar's component.
async fn remote(sidecar: &Sidecar) -> Arc<RemoteComponent> {
    let address = sidecar.grpc.to_string();
    Arc::new(RemoteComponent::connect(&address, None, None).await.expect("a connection"))
}
