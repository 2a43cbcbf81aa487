//! Requests that are well-formed and too much.

use serde_json::{Value, json};

use super::survives;
use crate::support::{
    Sidecar,
    messages::{Answer, as_struct, prompt, request, tool, user},
};

/// Asks for a tool with this schema, and for an answer in this form.
async fn with_schema(sidecar: &Sidecar, schema: &Value) -> (Answer, Answer) {
    let called = prompt("call the hostile tool", [tool("hostile", schema.clone())]);
    let mut formed = prompt("{}", []);
    formed.response_format = Some(as_struct(schema));
    (sidecar.converse(called).await.unwrap(), sidecar.converse(formed).await.unwrap())
}

/// `levels` definitions, each made of two of the next.
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
async fn schemas_that_mean_harm_are_answered() {
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
        let (called, formed) = survives(&sidecar, with_schema(&sidecar, &schema)).await;
        assert_eq!(called.called_tools(), ["hostile"], "{schema}");
        assert!(called.calls[0].arguments.is_object(), "{schema}");
        assert!(serde_json::from_str::<Value>(&formed.content).is_ok(), "{schema}");
    }
}

#[tokio::test]
async fn numbers_that_are_none_are_answered() {
    let sidecar = Sidecar::start();
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, -0.0] {
        let schema = json!({"properties": {"a": {"type": "number", "minimum": 0, "multipleOf": 1, "maxItems": 2}}});
        let mut strange = as_struct(&schema);
        replace_numbers(&mut strange, number);
        let mut asked = prompt("call the hostile tool", [tool("hostile", json!({}))]);
        let Some(mynah::wire::proto::conversation_tools::ToolTypes::Function(function)) =
            &mut asked.tools[0].tool_types
        else {
            unreachable!("tool() makes functions");
        };
        function.parameters = Some(strange.clone());
        asked.response_format = Some(strange);
        asked.temperature = Some(number);
        let answer = survives(&sidecar, sidecar.converse(asked)).await.unwrap();
        assert_eq!(answer.called_tools(), ["hostile"], "{number}");
    }
}

fn replace_numbers(within: &mut prost_types::Struct, number: f64) {
    use prost_types::value::Kind;
    for value in within.fields.values_mut() {
        match &mut value.kind {
            Some(Kind::NumberValue(old)) => *old = number,
            Some(Kind::StructValue(inner)) => replace_numbers(inner, number),
            _ => {}
        }
    }
}

#[tokio::test]
async fn ten_thousand_messages_are_one_history() {
    let sidecar = Sidecar::start();
    let messages: Vec<_> = (0..10_000).map(|number| user(&format!("message {number}"))).collect();
    let answer = survives(&sidecar, sidecar.converse(request(messages))).await.unwrap();
    assert_eq!(answer.content, "message 9999");
}

#[tokio::test]
async fn five_thousand_tools_with_four_mebibytes_of_text_are_searched() {
    let sidecar = Sidecar::start();
    let named = |number: usize| format!("t{number}{}", " many words of a name".repeat(37));
    let tools: Vec<_> = (0..5_000).map(|number| tool(&named(number), json!({}))).collect();
    let asked = prompt(&format!("Call {}, please.", named(4_999)), tools);
    let answer = survives(&sidecar, sidecar.converse(asked)).await.unwrap();
    assert_eq!(answer.called_tools(), [named(4_999)]);
}

#[tokio::test]
async fn names_of_ten_thousand_words_are_found_whole() {
    let sidecar = Sidecar::start();
    let name = |word: fn(usize) -> String| (0..10_000).map(word).collect::<Vec<_>>().join("_");
    let (distinct, alike) = (name(|number| format!("word{number}")), name(|_| "word".to_owned()));
    let tools = [tool(&distinct, Value::Null), tool(&alike, Value::Null)];
    let asked = prompt(&format!("call {distinct}"), tools.clone());
    let answer = survives(&sidecar, sidecar.converse(asked)).await.unwrap();
    assert_eq!(answer.called_tools(), [distinct]);
    // Words that are all alike are compared again and again, until the budget is spent.
    let asked = prompt(&"word ".repeat(200_000), tools);
    let answer = survives(&sidecar, sidecar.converse(asked)).await.unwrap();
    assert_eq!(answer.finish_reason, "stop");
    assert_eq!(
        sidecar.log().matches("the rest of the text is not searched for mentioned tools").count(),
        1
    );
}

#[tokio::test]
async fn a_component_may_have_any_name_and_a_context_any_id() {
    let sidecar = Sidecar::start();
    for text in
        ["\0", "\u{202e}%n%s", &"x".repeat(1 << 20), "../../etc/passwd", "\r\nSet-Cookie: a"]
    {
        let mut asked = prompt("hello", []);
        asked.context_id = Some(text.to_owned());
        let answer = survives(&sidecar, sidecar.converse(asked.clone())).await.unwrap();
        assert_eq!(answer.response.context_id.as_deref(), Some(text));
        asked.name = text.to_owned();
        let status = survives(&sidecar, sidecar.converse(asked)).await.unwrap_err();
        assert_eq!(status.code(), tonic::Code::InvalidArgument, "{status:?}");
        assert!(status.message().len() <= 4096, "{} bytes", status.message().len());
    }
}
