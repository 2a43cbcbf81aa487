//! Tests that hostile schemas are cheap to process and never cause a panic.

use mynah_core::provider::CallContext;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Context, ReplyBudget, arguments};
use crate::effort::{Effort, FullEffort, Unfinished};

const MAX_LEN: usize = 64 * 1024;

/// Generates arguments, and checks that they are a JSON object within the limits.
fn generate_within_limits(schema: &Value) -> super::Generated {
    let generated =
        arguments(Some(schema), &Context::default(), &mut ReplyBudget::new(&Effort::full()));
    assert!(generated.json.len() <= MAX_LEN, "{} bytes", generated.json.len());
    assert!(serde_json::from_str::<Value>(&generated.json).is_ok_and(|value| value.is_object()));
    generated
}

/// Returns a schema with `levels` definitions, each of which refers to the next one.
fn doubling(levels: usize, next: impl Fn(Value) -> Value) -> Value {
    let reference = |level: usize| json!({"$ref": format!("#/$defs/d{level}")});
    let mut schema = reference(0);
    for level in 0..levels {
        schema["$defs"][format!("d{level}")] = next(reference(level + 1));
    }
    schema["$defs"][format!("d{levels}")] = json!({"type": "object"});
    schema
}

#[test]
fn truncates_required_properties_over_the_limit() {
    for property in [
        json!({"type": "array", "minItems": 1e9}),
        json!({"type": "array", "minItems": 1e9, "uniqueItems": true}),
        json!({"type": "array", "minItems": 5000, "uniqueItems": true, "items": {"enum": (0..5000).collect::<Vec<_>>()}}),
        json!({"type": "string", "minLength": 1e9}),
        json!({"type": "string", "format": "email", "minLength": 1e9}),
        json!({"type": "string", "pattern": "^(a{1000}){1000}$"}),
        json!({"type": "string", "pattern": "a{1000}{1000}"}),
        json!({"type": "object", "minProperties": 1e9}),
        json!({"const": "a".repeat(MAX_LEN)}),
        json!({"$ref": "#"}),
    ] {
        let generated = generate_within_limits(
            &json!({"type": "object", "properties": {"a": property}, "required": ["a"]}),
        );
        assert!(generated.possible_violation.is_some(), "{property}: {}", generated.json);
        assert!(generated.json.starts_with(r#"{"a":"#), "{property}: {}", generated.json);
    }
}

#[test]
fn satisfies_unusual_constraints() {
    for property in [
        json!({"type": "string", "pattern": "(a+)+$"}),
        json!({"type": "string", "pattern": "^(a|aa)+$", "maxLength": 1}),
        json!({"type": "string", "pattern": "((){1000000}){1000000}"}),
        json!({"type": "number", "minimum": -1e308, "maximum": 1e308}),
        json!({"type": "integer", "minimum": 1e308}),
        json!({"type": "number", "exclusiveMinimum": 1e-320, "exclusiveMaximum": 1e-300}),
    ] {
        let generated = generate_within_limits(&json!({"properties": {"a": property}}));
        assert_eq!(generated.possible_violation, None, "{property}");
    }
    let tiny = json!({"properties": {"a": {"type": "number", "multipleOf": 1e-300}}});
    assert_eq!(generate_within_limits(&tiny).json, r#"{"a":42}"#);
}

#[test]
fn bounds_doubling_definitions() {
    let generated = generate_within_limits(&doubling(60, |next| json!({"allOf": [next, next]})));
    assert_eq!((generated.json.as_str(), generated.possible_violation), ("{}", None));
    generate_within_limits(&doubling(60, |next| json!({"anyOf": [next, next]})));
    generate_within_limits(&doubling(60, |next| json!({"properties": {"a": next, "b": next}})));
    generate_within_limits(&doubling(
        60,
        |next| json!({"properties": {"a": next, "b": next}, "required": ["a", "b"]}),
    ));
    generate_within_limits(&doubling(
        60,
        |next| json!({"allOf": [{"default": {}}, next, next], "enum": [{}]}),
    ));
}

#[test]
fn bounds_deep_schemas() {
    let mut schema = json!({"type": "string"});
    for _ in 0..1000 {
        schema = json!({"type": "object", "properties": {"a": schema}});
    }
    assert!(generate_within_limits(&schema).possible_violation.is_some());
    let mut schema = json!({"const": 1});
    for _ in 0..1000 {
        schema = json!({"allOf": [schema], "default": 1});
    }
    generate_within_limits(&json!({"properties": {"a": schema}}));
}

#[test]
fn bounds_the_output_for_thousands_of_tools() {
    let schema =
        json!({"properties": {"a": {"type": "array", "minItems": 9000}}, "required": ["a"]});
    let mut budget = ReplyBudget::new(&Effort::full());
    let generated = (0..2000).map(|_| arguments(Some(&schema), &Context::default(), &mut budget));
    assert!(
        generated.map(|generated| generated.json.len()).sum::<usize>() < 4 * 1024 * 1024 + 2000 * 2
    );
}

#[test]
fn bounds_long_lists_and_messages() {
    let item = |item: Value| json!({"properties": {"a": {"type": "array", "minItems": 9000, "items": item}}, "required": ["a"]});
    let properties: serde_json::Map<_, _> =
        (0..20_000).map(|number| (number.to_string(), Value::Bool(true))).collect();
    for schema in [
        item(json!({"enum": vec![Value::Null; 100_000]})),
        item(json!({"type": "string", "default": 1, "enum": vec![1; 100_000]})),
        item(json!({"anyOf": vec![json!({"type": "null"}); 100_000]})),
        item(json!({"allOf": vec![json!(true); 100_000]})),
        item(json!({"type": vec!["x"; 100_000], "allOf": [{"type": vec!["y"; 100_000]}]})),
        item(json!({"default": vec![0; 100_000]})),
        item(json!({"properties": properties, "maxProperties": 0})),
        item(json!({"pattern": "a".repeat(100_000)})),
    ] {
        generate_within_limits(&schema);
    }
    let message = "in the é ".repeat(200_000);
    let names = (0..9000).map(|number| (format!("city{number}"), json!({"type": "string"})));
    let schema = json!({"properties": names.collect::<serde_json::Map<_, _>>()});
    let context =
        Context { subject: &message, mention: &message, question: &message, ..Context::default() };
    arguments(Some(&schema), &context, &mut ReplyBudget::new(&Effort::full()));
}

#[test]
fn cancelled_calls_take_no_steps() {
    let call = CallContext::default();
    let effort = FullEffort::new(call.cancellation(), call.reservation());
    let mut budget = ReplyBudget::new(&Effort::Full(effort.into()));
    let property =
        |number| (format!("p{number}"), json!({"type": "string", "pattern": "^a-[0-9]$"}));
    let properties: serde_json::Map<_, _> = (0..200).map(property).collect();
    let schema = json!({"properties": properties});
    let context = Context { mention: "call a-1", question: "call a-1", ..Context::default() };
    arguments(Some(&schema), &context, &mut budget);
    let left = budget.steps_left();
    assert_eq!(budget.check(), Ok(()));
    drop(call.cancel_on_drop());
    for _ in 0..20 {
        arguments(Some(&schema), &context, &mut budget);
    }
    assert_eq!(budget.steps_left(), left);
    assert_eq!(budget.check(), Err(Unfinished));
}

/// JSON of which parts resemble a schema.
fn any_json() -> impl Strategy<Value = Value> {
    let word = proptest::sample::select(WORDS.as_slice());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..60_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(word.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

const WORDS: [&str; 47] = [
    "type",
    "object",
    "array",
    "string",
    "integer",
    "number",
    "boolean",
    "null",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "email",
    "uuid",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "const",
    "enum",
    "default",
    "examples",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "#",
    "#/$defs/type",
    "#/properties/items",
    "$defs",
    "minProperties",
    "maxProperties",
    "not",
    "^[a-z]+$",
    "(",
    "\\d{3}|x*",
    "é",
    "if",
];

proptest! {
    #[test]
    fn accepts_any_json_as_schema(schema in any_json()) {
        generate_within_limits(&schema);
    }
}
