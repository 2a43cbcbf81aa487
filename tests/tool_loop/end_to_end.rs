//! The examples and the tests of the design that the loop comes from: tools of an agent, run for a
//! model behind a sidecar.

use std::sync::Arc;

use futures_util::StreamExt;
use mynah::{
    client::RemoteComponent,
    tool_loop::{CancellationToken, EndReason, LoopEvent, LoopSettings, ToolLoop, ToolRegistry},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{ask, every_call_has_its_result};
use crate::support::Sidecar;

#[derive(Deserialize, JsonSchema)]
struct Weather {
    /// City and state, e.g. San Francisco, CA
    location: String,
}

#[derive(Deserialize, JsonSchema)]
struct Tip {
    amount: f64,
    #[serde(default = "usual")]
    percentage: f64,
}

fn usual() -> f64 {
    18.0
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    query: String,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

fn weather_and_tip() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    registry
        .register("get_weather", "Get current weather conditions", async |place: Weather| {
            Ok(format!("Weather in {}: 72°F, sunny", place.location))
        })
        .unwrap();
    registry
        .register("calculate_tip", "Calculate tip amount", async |Tip { amount, percentage }| {
            let tip = amount * percentage / 100.0;
            let cents = |amount: f64| (amount * 100.0).round() / 100.0;
            Ok(json!({"tip": cents(tip), "total": cents(amount + tip)}))
        })
        .unwrap();
    registry
}

#[test]
fn a_registry_defines_its_tools_as_openai_does() {
    let mut registry = ToolRegistry::new();
    assert_eq!(registry.definitions(), json!([]));
    registry.register("test_tool", "A test", async |search: Search| Ok(search.query)).unwrap();
    assert_eq!(
        registry.definitions(),
        json!([{
            "type": "function",
            "function": {
                "name": "test_tool",
                "description": "A test",
                "parameters": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                },
            },
        }])
    );
}

#[test]
fn the_schema_of_the_arguments_is_that_of_their_type() {
    let definitions = weather_and_tip().definitions();
    assert_eq!(
        definitions[0]["function"]["parameters"]["properties"]["location"]["description"],
        "City and state, e.g. San Francisco, CA"
    );
    let tip = &definitions[1]["function"]["parameters"];
    assert_eq!(tip["required"], json!(["amount"]));
    assert_eq!(tip["properties"]["percentage"]["default"], json!(18.0));
}

#[tokio::test]
async fn a_registry_runs_a_tool_by_its_name() {
    let mut registry = weather_and_tip();
    registry
        .register("test_tool", "A test", async |search: Search| {
            Ok(format!("test: {}", search.query))
        })
        .unwrap();
    assert_eq!(registry.run("test_tool", r#"{"query": "hello"}"#).await.unwrap(), "test: hello");
    let tip = registry.run("calculate_tip", r#"{"amount": 45.60, "percentage": 20}"#).await;
    assert_eq!(tip.unwrap(), r#"{"tip":9.12,"total":54.72}"#);
    let usual = registry.run("calculate_tip", r#"{"amount": 100}"#).await;
    assert_eq!(usual.unwrap(), r#"{"tip":18.0,"total":118.0}"#);
    let my_tool = async |search: Search| Ok(format!("Processed: {}", search.query));
    registry.register("my_tool", "No configuration required", my_tool).unwrap();
    assert_eq!(registry.run("my_tool", r#"{"query": "it"}"#).await.unwrap(), "Processed: it");
    let unknown = registry.run("nope", "{}").await.unwrap_err();
    assert_eq!(unknown.to_string(), "Tool 'nope' not found");
}

#[tokio::test]
async fn what_time_is_it() {
    let mut registry = ToolRegistry::new();
    registry.register("get_time", "The time", async |Nothing {}| Ok("12:00 PM")).unwrap();
    let (sidecar, tool_loop) = (Sidecar::start(), ToolLoop::new(registry, LoopSettings::default()));
    let model = remote(&sidecar).await;
    let request = ask("What time is it?");
    let result = tool_loop.unwrap().run(model, request, CancellationToken::new()).await;
    assert!(result.text().contains("12:00 PM"), "{result:?}");
    every_call_has_its_result(&result);
}

#[tokio::test]
async fn the_weather_and_a_tip() {
    let sidecar = Sidecar::start();
    let tool_loop = ToolLoop::new(weather_and_tip(), LoopSettings::default()).unwrap();
    let question = "What's the weather in San Francisco and calculate a 20% tip on $45.60?";
    let model = remote(&sidecar).await;
    let result = tool_loop.run(model, ask(question), CancellationToken::new()).await;
    assert_eq!(result.end, EndReason::Answered);
    let names: Vec<_> = result.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["get_weather", "calculate_tip"]);
    for call in &result.calls {
        assert!(result.text().contains(&call.result), "{result:?}");
    }
    assert_eq!(result.calls[0].result, "Weather in San Francisco: 72°F, sunny");
    assert_eq!(result.turns, 2);
    every_call_has_its_result(&result);
}

#[tokio::test]
async fn a_search_is_streamed() {
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
    let events = tool_loop.run_stream(model, ask(question), CancellationToken::new());
    let events: Vec<_> = events.collect().await;
    let [
        LoopEvent::ToolStarted { name, .. },
        LoopEvent::ToolFinished(record),
        texts @ ..,
        LoopEvent::Ended(result),
    ] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!(name, "search_database");
    assert!(record.result.starts_with(r#"{"count":1,"results":["Result for: "#), "{record:?}");
    let text = |event: &LoopEvent| match event {
        LoopEvent::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(texts.iter().map(text).collect::<String>(), result.text());
    assert_eq!(result.text(), record.result);
    assert_eq!(result.calls.as_slice(), std::slice::from_ref(record));
}

async fn remote(sidecar: &Sidecar) -> Arc<RemoteComponent> {
    let address = sidecar.grpc.to_string();
    Arc::new(RemoteComponent::connect(&address, None, None).await.expect("a connection"))
}
