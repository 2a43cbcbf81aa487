//! Snapshot tests of whole answers over HTTP.

use mynah::internals::wire::json;
use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    messages::{
        assistant_with_calls, encoded_schema, prompt, request, tool, tool_call, tool_result, user,
    },
};

/// Returns a schema like those that Dapr Agents generates from pydantic models.
fn booking() -> Value {
    json!({
        "type": "object",
        "properties": {
            "guest": {"$ref": "#/$defs/Guest"},
            "city": {"type": "string"},
            "nights": {"type": "integer", "minimum": 1, "maximum": 14},
            "price": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "room": {"enum": ["single", "double"]},
            "extras": {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": true},
            "arrival": {"type": "string", "format": "date"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
        },
        "required": ["guest", "city", "nights"],
        "$defs": {"Guest": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "email": {"type": "string", "format": "email"}},
            "required": ["name", "email"],
        }},
    })
}

#[tokio::test]
async fn returns_the_answers_of_the_snapshots() {
    let sidecar = Sidecar::start();
    let weather = json!({"type": "object", "properties": {"location": {"type": "string"}}});
    let mut formatted = prompt("Tell me about a user.", []);
    formatted.response_format = Some(encoded_schema(&json!({
        "type": "json_schema",
        "json_schema": {"name": "user", "schema": {"type": "object", "properties": {
            "name": {"type": "string"}, "age": {"type": "integer"}, "phone": {"type": "string"},
        }}},
    })));
    let mut with_context = prompt("Hello, world!", []);
    with_context.context_id = Some("conversation-1".to_owned());
    let loop_end = request([
        user("weather in Paris?"),
        assistant_with_calls("", [tool_call("call_1", "get_weather", r#"{"location":"Paris"}"#)]),
        tool_result("call_1", "get_weather", "sunny, 21 °C"),
    ]);
    let email = "Book a room in Porto for ann@example.org, please.";
    let requests = [
        ("text", with_context),
        ("tool_call", prompt("What's the weather in Paris?", [tool("get_weather", weather)])),
        ("tool_result", loop_end),
        ("arguments", prompt(email, [tool("book_room", booking())])),
        ("response_format", formatted),
    ];
    for (name, request) in requests {
        let body = json::write(&request).unwrap();
        let reply = sidecar.post("/v1.0-alpha2/conversation/echo/converse", body).await;
        let mut answer = reply.json();
        let arguments =
            answer["outputs"][0]["choices"][0]["message"]["toolCalls"][0]["function"]["arguments"]
                .as_str()
                .map(|text| serde_json::from_str::<Value>(text).unwrap());
        let shown = json!({"answer": answer.take(), "arguments of the call": arguments});
        insta::assert_snapshot!(name, serde_json::to_string_pretty(&shown).unwrap());
    }
}
