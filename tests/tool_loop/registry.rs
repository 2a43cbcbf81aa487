//! What a registry takes, and what it refuses.

use std::sync::Arc;

use futures_util::{FutureExt, future::BoxFuture};
use insta::assert_snapshot;
use mynah::{
    chat::{LazyJson, Tool},
    tool_loop::{RunTool, ToolError, ToolRegistry},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::doubles::identity;

/// A tool as an object of its own.
struct Greeter {
    greeting: String,
}

impl RunTool for Greeter {
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        let name = arguments["name"].as_str().unwrap_or("stranger").to_owned();
        async move { Ok(json!(format!("{}, {name}!", self.greeting))) }.boxed()
    }
}

fn definition(name: &str, parameters: Option<Value>) -> Tool {
    Tool { name: name.to_owned(), description: None, parameters: parameters.map(LazyJson::new) }
}

fn greeter() -> Greeter {
    Greeter { greeting: "Hello".to_owned() }
}

#[tokio::test]
async fn an_object_can_be_a_tool() {
    let mut registry = ToolRegistry::new();
    let tool: Box<dyn RunTool> = Box::new(greeter());
    registry.add(definition("greet", None), tool).unwrap();
    assert_eq!(registry.run("greet", r#"{"name": "Ann"}"#).await.unwrap(), "Hello, Ann!");
    assert_eq!(
        registry.definitions(),
        json!([{"type": "function", "function": {"name": "greet"}}])
    );
}

#[test]
fn what_no_model_could_call_is_refused() {
    let mut registry = identity("taken");
    let long = "x".repeat(65);
    let mut refused =
        |name: &str, parameters| match registry.add(definition(name, parameters), greeter()) {
            Ok(()) => format!("{name} is accepted"),
            Err(error) => error.to_string().replace(&long, "x*65"),
        };
    let said = [
        refused("", None),
        refused("get weather", None),
        refused("météo", None),
        refused(&long, None),
        refused("taken", None),
        refused("text", Some(json!({"type": "string"}))),
        refused("wrong", Some(json!({"type": "object", "properties": {"a": {"type": "txt"}}}))),
        refused("far", Some(json!({"$ref": "https://example.com/schema.json"}))),
        refused(&long[1..], Some(json!({}))),
        refused("Get-Weather_2", Some(json!({"properties": {}}))),
    ];
    assert_snapshot!(said.join("\n"), @r#"
    invalid tool name "": a name is 1 to 64 ASCII letters, digits, _ and -
    invalid tool name "get weather": a name is 1 to 64 ASCII letters, digits, _ and -
    invalid tool name "météo": a name is 1 to 64 ASCII letters, digits, _ and -
    invalid tool name "x*65": a name is 1 to 64 ASCII letters, digits, _ and -
    there is a tool named taken already
    invalid schema of the arguments of text: arguments are of type "object", not "string"
    invalid schema of the arguments of wrong: "txt" is not valid under any of the schemas listed in the 'anyOf' keyword
    invalid schema of the arguments of far: Resource 'https://example.com/schema.json' is not present in a registry and retrieving it failed: `resolve-http` feature or a custom resolver is required to resolve external schemas via HTTP
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

/// State that a tool shares is moved into its closure.
#[tokio::test]
async fn types_within_types_are_one_schema_without_references() {
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
