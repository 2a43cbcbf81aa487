//! Tests of the tools that a registry accepts, of their definitions, and of running them.

use std::sync::Arc;

use futures_util::{FutureExt, future::BoxFuture};
use insta::assert_snapshot;
use mynah::{
    chat::{LazyJson, Tool},
    tool_loop::{RunTool, ToolContext, ToolError, ToolOutput, ToolRegistry},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::doubles::identity;

#[derive(Deserialize, JsonSchema)]
struct Weather {
    /// City and state, e.g. San Francisco, CA
    location: String,
}

#[derive(Deserialize, JsonSchema)]
struct Tip {
    amount: f64,
    #[serde(default = "default_percentage")]
    percentage: f64,
}

fn default_percentage() -> f64 {
    18.0
}

#[derive(Deserialize, JsonSchema)]
pub struct Search {
    pub query: String,
}

/// Returns a registry with `get_weather` and `calculate_tip`.
pub fn weather_and_tip() -> ToolRegistry {
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
fn defines_tools_in_the_format_of_openai() {
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
fn generates_schemas_from_argument_types() {
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
async fn runs_a_tool_by_name() {
    let mut registry = weather_and_tip();
    registry
        .register("test_tool", "A test", async |search: Search| {
            Ok(format!("test: {}", search.query))
        })
        .unwrap();
    assert_eq!(registry.run("test_tool", r#"{"query": "hello"}"#).await.unwrap(), "test: hello");
    let tip = registry.run("calculate_tip", r#"{"amount": 45.60, "percentage": 20}"#).await;
    assert_eq!(tip.unwrap(), r#"{"tip":9.12,"total":54.72}"#);
    let default = registry.run("calculate_tip", r#"{"amount": 100}"#).await;
    assert_eq!(default.unwrap(), r#"{"tip":18.0,"total":118.0}"#);
    let my_tool = async |search: Search| Ok(format!("Processed: {}", search.query));
    registry.register("my_tool", "No configuration required", my_tool).unwrap();
    assert_eq!(registry.run("my_tool", r#"{"query": "it"}"#).await.unwrap(), "Processed: it");
    let unknown = registry.run("nope", "{}").await.unwrap_err();
    assert_eq!(unknown.to_string(), "Tool 'nope' not found");
}

/// A struct that implements a tool.
struct Greeter {
    greeting: String,
}

impl RunTool for Greeter {
    fn run(
        &self,
        arguments: Value,
        _: ToolContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        let name = arguments["name"].as_str().unwrap_or("stranger").to_owned();
        async move { Ok(format!("{}, {name}!", self.greeting).into()) }.boxed()
    }
}

fn definition(name: &str, parameters: Option<Value>) -> Tool {
    Tool { name: name.to_owned(), description: None, parameters: parameters.map(LazyJson::new) }
}

fn greeter() -> Greeter {
    Greeter { greeting: "Hello".to_owned() }
}

#[tokio::test]
async fn accepts_a_shared_tool() {
    let mut registry = ToolRegistry::new();
    let tool: Arc<dyn RunTool> = Arc::new(greeter());
    registry.add(definition("greet", None), tool).unwrap();
    assert_eq!(registry.run("greet", r#"{"name": "Ann"}"#).await.unwrap(), "Hello, Ann!");
    assert_eq!(
        registry.definitions(),
        json!([{"type": "function", "function": {"name": "greet"}}])
    );
}

#[test]
fn rejects_tools_that_no_model_can_call() {
    let mut registry = identity("taken");
    let long = "x".repeat(65);
    let mut error =
        |name: &str, parameters| match registry.add(definition(name, parameters), greeter()) {
            Ok(_) => format!("{name} is accepted"),
            Err(error) => error.to_string().replace(&long, "x*65"),
        };
    let errors = [
        error("", None),
        error("get weather", None),
        error("météo", None),
        error(&long, None),
        error("taken", None),
        error("text", Some(json!({"type": "string"}))),
        error("wrong", Some(json!({"type": "object", "properties": {"a": {"type": "txt"}}}))),
        error("far", Some(json!({"$ref": "https://example.com/schema.json"}))),
        error(&long[1..], Some(json!({}))),
        error("Get-Weather_2", Some(json!({"properties": {}}))),
    ];
    assert_snapshot!(errors.join("\n"), @r#"
    invalid tool name ""; expected 1 to 64 ASCII letters, digits, _ or -
    invalid tool name "get weather"; expected 1 to 64 ASCII letters, digits, _ or -
    invalid tool name "météo"; expected 1 to 64 ASCII letters, digits, _ or -
    invalid tool name "x*65"; expected 1 to 64 ASCII letters, digits, _ or -
    a tool named taken is already registered
    invalid parameter schema of text: arguments must be of type "object", not "string"
    invalid parameter schema of wrong: "txt" is not valid under any of the schemas listed in the 'anyOf' keyword
    invalid parameter schema of far: Resource 'https://example.com/schema.json' is not present in a registry and retrieving it failed: `resolve-http` feature or a custom resolver is required to resolve external schemas via HTTP
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is accepted
    Get-Weather_2 is accepted
    "#);
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Point {
    /// Degrees north
    latitude: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Forecast {
    at: Point,
    days: u8,
    unit: Option<Unit>,
}

#[tokio::test]
async fn generates_schemas_without_references() {
    let stations = Arc::new(["Paris", "Rome"]);
    let mut registry = ToolRegistry::new();
    registry
        .register("forecast", "The weather to come", move |forecast: Forecast| {
            let stations = stations.clone();
            async move {
                let unit = forecast.unit.unwrap_or(Unit::Celsius);
                Ok(json!([stations[0], forecast.at.latitude, forecast.days, unit]))
            }
        })
        .unwrap();
    let parameters = &registry.definitions()[0]["function"]["parameters"];
    assert!(!parameters.to_string().contains("$ref"), "{parameters:#}");
    assert_eq!(
        parameters["properties"]["at"]["properties"]["latitude"]["description"],
        "Degrees north"
    );
    let arguments = r#"{"at": {"latitude": 48}, "days": 2, "unit": "Fahrenheit"}"#;
    let result = registry.run("forecast", arguments).await.unwrap();
    assert_eq!(result, r#"["Paris",48.0,2,"Fahrenheit"]"#);
    let wrong = registry.run("forecast", r#"{"at": {"latitude": "N"}, "days": 2}"#).await;
    assert_snapshot!(wrong.unwrap_err(), @r#"Error executing forecast: the arguments are not valid: the value is not of type "number" at /at/latitude"#);
}
