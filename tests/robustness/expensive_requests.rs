//! Tests of valid requests that are expensive to process.

use serde_json::{Value, json};

use super::survives;
use crate::support::{
    Sidecar,
    messages::{Answer, as_struct, encoded, encoded_schema, prompt, request, tool, user},
};

/// Requests a call to a tool with this encoded_schema, and an answer in this format.
async fn with_schema(sidecar: &Sidecar, schema: &Value) -> (Answer, Answer) {
    let with_tool = prompt("call the test tool", [tool("test", schema.clone())]);
    let mut with_format = prompt("{}", []);
    with_format.response_format = Some(encoded_schema(schema));
    (sidecar.converse(with_tool).await.unwrap(), sidecar.converse(with_format).await.unwrap())
}

/// Returns a schema with `levels` definitions, each of which refers to the next one twice.
fn doubling(levels: usize, keyword: &str) -> Value {
    let mut schema = json!({"$ref": "#/$defs/d0"});
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        schema["$defs"][format!("d{level}")] = match keyword {
            "properties" => json!({"properties": {"a": next, "b": next}, "required": ["a", "b"]}),
            keyword => json!({keyword: [next, next]}),
        };
    }
    schema["$defs"][format!("d{levels}")] = json!({"type": "object"});
    schema
}

#[tokio::test]
async fn answers_requests_with_hostile_schemas() {
    let sidecar = Sidecar::start();
    let property = |schema: Value| json!({"properties": {"a": schema}, "required": ["a"]});
    let schemas = [
        json!({"$ref": "#"}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"$ref": "https://example.com/schema"}),
        json!({"$dynamicRef": "#a", "$dynamicAnchor": "a"}),
        doubling(60, "allOf"),
        doubling(60, "anyOf"),
        doubling(60, "oneOf"),
        doubling(60, "properties"),
        property(json!({"type": "array", "minItems": 1e18})),
        property(json!({"type": "array", "minItems": 1e18, "uniqueItems": true})),
        property(json!({"type": "string", "minLength": 1e18})),
        property(json!({"type": "object", "minProperties": 1e18})),
        property(json!({"type": "number", "multipleOf": 1e-300, "minimum": 1e300})),
        property(json!({"type": "number", "multipleOf": 0})),
        property(json!({"type": "integer", "minimum": 1e308})),
        property(json!({"type": "string", "pattern": "^(a{1000}){1000}$"})),
        property(json!({"type": "string", "pattern": "((){1000000}){1000000}"})),
        property(json!({"type": "string", "pattern": "^(a+)+(b|bb)*$", "minLength": 50_000})),
        property(json!({"type": "string", "pattern": "\\p{L}{1000}[^\\p{L}]{1000}"})),
        property(json!({"type": "string", "pattern": "(".repeat(10_000)})),
        json!({"patternProperties": {"^(a{1000}){1000}$": {}}, "minProperties": 1}),
        json!({"type": ["", "nothing"], "enum": [], "required": [1, {}]}),
    ];
    for schema in schemas {
        let (called, formatted) = survives(&sidecar, with_schema(&sidecar, &schema)).await;
        assert_eq!(called.called_tools(), ["test"], "{schema}");
        assert!(called.calls[0].arguments.is_object(), "{schema}");
        assert!(serde_json::from_str::<Value>(&formatted.content).is_ok(), "{schema}");
    }
}

#[tokio::test]
async fn answers_requests_with_special_numbers() {
    let sidecar = Sidecar::start();
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, -0.0] {
        let schema = json!({"properties": {"a": {"type": "number", "minimum": 0, "multipleOf": 1, "maxItems": 2}}});
        let mut schema_struct = as_struct(&schema);
        replace_numbers(&mut schema_struct, number);
        let mut request = prompt("call the test tool", [tool("test", json!({}))]);
        let Some(mynah::internals::wire::proto::conversation_tools::ToolTypes::Function(function)) =
            &mut request.tools[0].tool_types
        else {
            unreachable!("tool() returns functions");
        };
        function.parameters = Some(encoded(&schema_struct));
        request.response_format = Some(encoded(&schema_struct));
        request.temperature = Some(number);
        let answer = survives(&sidecar, sidecar.converse(request)).await.unwrap();
        assert_eq!(answer.called_tools(), ["test"], "{number}");
    }
}

fn replace_numbers(object: &mut prost_types::Struct, number: f64) {
    use prost_types::value::Kind;
    for value in object.fields.values_mut() {
        match &mut value.kind {
            Some(Kind::NumberValue(old)) => *old = number,
            Some(Kind::StructValue(inner)) => replace_numbers(inner, number),
            _ => {}
        }
    }
}

#[tokio::test]
async fn answers_a_history_of_ten_thousand_messages() {
    let sidecar = Sidecar::start();
    let messages: Vec<_> = (0..10_000).map(|number| user(&format!("message {number}"))).collect();
    let answer = survives(&sidecar, sidecar.converse(request(messages))).await.unwrap();
    assert_eq!(answer.content, "message 9999");
}

#[tokio::test]
async fn matches_five_thousand_tools_with_four_mebibytes_of_names() {
    let sidecar = Sidecar::start();
    let name = |number: usize| format!("t{number}{}", " many words of a name".repeat(37));
    let tools: Vec<_> = (0..5_000).map(|number| tool(&name(number), json!({}))).collect();
    let request = prompt(&format!("Call {}, please.", name(4_999)), tools);
    let answer = survives(&sidecar, sidecar.converse(request)).await.unwrap();
    assert_eq!(answer.called_tools(), [name(4_999)]);
}

#[tokio::test]
async fn matches_names_of_ten_thousand_words() {
    let sidecar = Sidecar::start();
    let name = |word: fn(usize) -> String| (0..10_000).map(word).collect::<Vec<_>>().join("_");
    let (distinct, repeated) =
        (name(|number| format!("word{number}")), name(|_| "word".to_owned()));
    let tools = [tool(&distinct, Value::Null), tool(&repeated, Value::Null)];
    let request = prompt(&format!("call {distinct}"), tools.clone());
    let answer = survives(&sidecar, sidecar.converse(request)).await.unwrap();
    assert_eq!(answer.called_tools(), [distinct]);
    // Repeated words are compared many times, until the limit on comparisons is reached.
    let request = prompt(&"word ".repeat(200_000), tools);
    let answer = survives(&sidecar, sidecar.converse(request)).await.unwrap();
    assert_eq!(answer.finish_reason, "stop");
    assert_eq!(
        sidecar
            .log()
            .matches("the rest of the history is not searched for mentioned tools")
            .count(),
        1
    );
}

#[tokio::test]
async fn accepts_any_component_name_and_context_id() {
    let sidecar = Sidecar::start();
    for text in
        ["\0", "\u{202e}%n%s", &"x".repeat(1 << 20), "../../etc/passwd", "\r\nSet-Cookie: a"]
    {
        let mut request = prompt("hello", []);
        request.context_id = Some(text.to_owned());
        let answer = survives(&sidecar, sidecar.converse(request.clone())).await.unwrap();
        assert_eq!(answer.response.context_id.as_deref(), Some(text));
        request.name = text.to_owned();
        let status = survives(&sidecar, sidecar.converse(request)).await.unwrap_err();
        assert_eq!(status.code(), tonic::Code::InvalidArgument, "{status:?}");
        assert!(status.message().len() <= 4096, "{} bytes", status.message().len());
    }
}
