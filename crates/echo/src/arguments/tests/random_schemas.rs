//! Tests that values generated from random satisfiable schemas are valid.

use std::collections::BTreeMap;

use mynah_core::base::json_schema::Schema;
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

use super::{Context, ReplyBudget, arguments};
use crate::effort::Effort;

/// String schemas that can be satisfied.
fn string() -> impl Strategy<Value = Value> + Clone {
    let pattern = select(vec![
        "^[a-z]+$",
        "[0-9]{3}",
        "^\\d{3}-\\d{4}$",
        "^(a|b)c*$",
        "^\\w+@\\w+\\.com$",
        "^[^a-z ]{2,9}$",
        "x?",
        "^\\S+$",
        "\\bfoo\\b",
    ]);
    let format = select(vec![
        "email",
        "uri",
        "uuid",
        "date",
        "date-time",
        "time",
        "ipv4",
        "ipv6",
        "hostname",
        "duration",
        "json-pointer",
        "relative-json-pointer",
        "regex",
        "uri-reference",
        "uri-template",
        "color",
        "idn-email",
        "iri",
    ]);
    prop_oneof![
        (0..40_usize, 0..9_usize)
            .prop_map(|(least, more)| json!({"type": "string", "minLength": least, "maxLength": least + more})),
        pattern.prop_map(|pattern| json!({"type": "string", "pattern": pattern})),
        (2..30_usize).prop_map(|least| json!({"type": "string", "pattern": "^[A-Z]+[a-z]*$", "minLength": least, "maxLength": least + 1})),
        format.prop_map(|format| json!({"type": "string", "format": format})),
        (select(vec!["email", "uri", "hostname"]), 12..40_usize)
            .prop_map(|(format, least)| json!({"type": "string", "format": format, "minLength": least, "maxLength": least + 30})),
    ]
}

fn number() -> impl Strategy<Value = Value> + Clone {
    let step = select(vec![0.1, 0.25, 0.5, 1.0, 3.0, 7.5, 0.001]);
    prop_oneof![
        (-200..200_i32, 0..50_i32)
            .prop_map(|(low, more)| json!({"type": "integer", "minimum": low, "maximum": low + more})),
        (-200..200_i32, 2..50_i32).prop_map(|(low, more)| {
            json!({"type": "integer", "exclusiveMinimum": low, "exclusiveMaximum": low + more})
        }),
        (-200.0..200.0_f64, 0.1..50.0_f64).prop_map(|(low, more)| {
            json!({"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": low + more})
        }),
        (-200.0..200.0_f64, step).prop_map(|(low, step)| {
            json!({"type": "number", "minimum": low, "maximum": low + 2.0 * step, "multipleOf": step})
        }),
        (-200..200_i32, 1..20_i32).prop_map(|(low, step)| {
            json!({"type": "integer", "minimum": f64::from(low), "maximum": low + step, "multipleOf": step})
        }),
        any::<i64>().prop_map(|low| json!({"type": "integer", "minimum": low})),
    ]
}

/// Schemas that provide a value.
fn provided() -> impl Strategy<Value = Value> + Clone {
    let scalar = prop_oneof![
        any::<i32>().prop_map(Value::from),
        "[a-zé\"]{0,5}".prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
    ];
    (scalar, select(vec!["const", "default", "examples", "enum"])).prop_map(|(value, keyword)| {
        let kind = match value {
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            _ => "boolean",
        };
        let many = matches!(keyword, "examples" | "enum");
        json!({"type": kind, keyword: if many { json!([null, value]) } else { value }})
    })
}

fn leaf() -> impl Strategy<Value = Value> + Clone {
    let reference = (0..3_usize).prop_map(|number| json!({"$ref": format!("#/$defs/d{number}")}));
    prop_oneof![
        3 => string(),
        3 => number(),
        2 => provided(),
        1 => reference,
        1 => Just(json!({"$ref": "#/$defs/tree"})),
        1 => Just(json!({"$ref": "#/$defs/expression"})),
        1 => Just(json!({"type": "boolean"})),
        1 => Just(json!({})),
    ]
}

fn array(items: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let distinct = prop_oneof![
        Just(json!({"type": "integer", "minimum": -9, "maximum": -2})),
        Just(json!({"type": "string", "pattern": "^[a-f]{2}$"})),
        Just(json!({"type": "string", "maxLength": 2})),
        Just(
            json!({"type": "object", "properties": {"email": {"format": "email"}, "on": {"type": "boolean"}}})
        ),
        Just(json!({"enum": [1, 2, 3, 1, 4, 5]})),
        Just(json!({"type": "number", "minimum": 0, "maximum": 1})),
    ];
    prop_oneof![
        (items.clone(), 0..3_usize, 0..3_usize).prop_map(|(items, least, more)| {
            json!({"type": "array", "items": items, "minItems": least, "maxItems": least + more})
        }),
        (distinct, 0..6_usize).prop_map(|(items, least)| {
            json!({"type": "array", "items": items, "minItems": least, "uniqueItems": true})
        }),
        vec(items, 1..3).prop_map(|items| {
            json!({"type": "array", "minItems": items.len(), "prefixItems": items, "items": false})
        }),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["email", "city", "query", "name", "time_zone", "expression", "to"])
            .prop_map(str::to_owned),
        "[a-zé~/]{0,3}",
    ]
}

fn object(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let properties = proptest::collection::btree_map(name(), inner.clone(), 0..4);
    let more = prop_oneof![Just(json!(true)), inner, Just(json!({"type": "boolean"}))];
    (properties, more, any::<bool>(), 0..2_usize).prop_map(|(properties, more, all, extra)| {
        let count = properties.len();
        let mut required: Vec<&str> = properties.keys().map(String::as_str).collect();
        required.truncate(if all { count } else { count / 2 });
        if extra > 0 {
            required.push("one more");
        }
        json!({"type": "object", "required": required, "properties": properties,
            "additionalProperties": more, "minProperties": count + 2 * extra})
    })
}

/// Combined schemas. The parts of an `allOf` do not conflict.
fn combined(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let null = || json!({"type": "null"});
    let pair =
        |keyword: &'static str, first: Value, second: Value| json!({keyword: [first, second]});
    prop_oneof![
        inner.clone().prop_map(move |schema| pair("anyOf", null(), schema)),
        inner.clone().prop_map(move |schema| pair("oneOf", schema, null())),
        (inner.clone(), inner.clone()).prop_map(|(first, second)| json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "value": first}, "required": ["kind"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "value": second}, "required": ["kind"]}]})),
        // With all properties, both branches hold; with those of the second, only the second does.
        inner.clone().prop_map(|schema| json!({"oneOf": [
            {"type": "object", "properties": {"b": {}, "c": schema}, "required": ["b"]},
            {"type": "object", "required": ["a"], "properties": {"a": {"const": 1}, "b": false}},
            {"type": "object", "required": ["a"], "properties": {"a": {"const": 2}, "b": false}}]})),
        (inner.clone(), inner.clone()).prop_map(move |(first, second)| pair("anyOf", first, second)),
        inner.clone().prop_map(|schema| json!({"allOf": [schema, {"description": "d"}]})),
        (inner.clone(), inner).prop_map(|(first, second)| json!({"allOf": [
            {"type": "object", "properties": {"first": first}, "required": ["second"]},
            {"properties": {"second": second}}]})),
        (0..60_i32, 0..60_i32).prop_map(|(low, other)| json!({"allOf": [
            {"type": "number", "minimum": low}, {"type": "integer", "minimum": other, "maximum": 60}]})),
    ]
}

fn schema() -> impl Strategy<Value = Value> + Clone {
    leaf().prop_recursive(3, 20, 4, |inner| {
        prop_oneof![array(inner.clone()), object(inner.clone()), combined(inner)]
    })
}

/// An object schema with definitions, one of them recursive.
fn root() -> impl Strategy<Value = Value> {
    let simple = prop_oneof![string(), number(), provided()];
    (object(schema()), vec(simple, 3)).prop_map(|(mut root, simple)| {
        let defs = simple.into_iter().enumerate();
        let defs = defs.map(|(index, schema)| (format!("d{index}"), schema));
        let mut defs: BTreeMap<String, Value> = defs.collect();
        let tree = json!({"type": "object", "required": ["leaves", "up"], "properties": {
            "leaves": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
            "next": {"$ref": "#/$defs/tree"},
            "up": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]}}});
        defs.insert("tree".to_owned(), tree);
        let expression = json!({"oneOf": [
            {"type": "object", "required": ["left", "right"], "properties": {
                "left": {"$ref": "#/$defs/expression"}, "right": {"$ref": "#/$defs/expression"}}},
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/expression"}},
            {"type": "number"}]});
        defs.insert("expression".to_owned(), expression);
        root["$defs"] = Value::Object(defs.into_iter().collect::<Map<_, _>>());
        root
    })
}

proptest! {
    #[test]
    fn generated_values_are_valid(schema in root(), message in "( ?(in|for|Rome|a@b.co|2+2|é)){0,4}") {
        let context =
            Context { subject: "send_mail", mention: &message, question: &message, ..Context::default() };
        let generated = arguments(Some(&schema), &context, &mut ReplyBudget::new(&Effort::full()));
        let value: Value = serde_json::from_str(&generated.json).unwrap();
        prop_assert!(Schema::compile(&schema).unwrap().is_valid(&value), "{} for {schema}", generated.json);
        prop_assert_eq!(&generated.possible_violation, &None);
        let again = arguments(Some(&schema), &context, &mut ReplyBudget::new(&Effort::full()));
        prop_assert_eq!(&again.json, &generated.json);
        let mut brief = ReplyBudget::new(&Effort::Brief);
        let attempt = arguments(Some(&schema), &context, &mut brief);
        prop_assert!(brief.check().is_err() || attempt == generated, "{} for {schema}", attempt.json);
    }
}
