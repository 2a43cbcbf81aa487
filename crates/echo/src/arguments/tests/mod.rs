//! Tables of schemas with the generated values, and tests with hostile and random schemas.

mod hostile;
mod left_over;
mod nouns;
mod optional;
mod random_schemas;
mod several;
mod strings;
mod unions;

use serde_json::{Value, json};

use super::{Context, Described, Generated, ReplyBudget, value};
use crate::{effort::Effort, settings::Optional};

fn generate(schema: &Value, context: &Context) -> Generated {
    value(schema, context, &mut ReplyBudget::new(&Effort::full()))
}

/// Generates the arguments of a tool.
fn arguments(schema: Option<&Value>, context: &Context, budget: &mut ReplyBudget) -> Generated {
    let described = schema.map(|schema| Described::arguments(schema, context.subject, budget));
    super::arguments(described.as_ref(), context, budget).swap_remove(0)
}

/// Checks the value that each schema yields for the property `note`, and that no violation is
/// reported.
#[track_caller]
fn check(table: &[(Value, Value)]) {
    for (schema, expected) in table {
        let object = json!({"properties": {"note": schema}});
        let optional = Optional::Fill;
        let context =
            Context { subject: "get_it", question: "Why?", optional, ..Context::default() };
        let generated = generate(&object, &context);
        assert_eq!(generated.json, json!({"note": expected}).to_string(), "{schema}");
        assert_eq!(generated.possible_violation, None, "{schema}");
    }
}

/// Checks the values of string properties by name, for a tool and a message.
#[track_caller]
fn check_names(subject: &str, message: &str, table: &[(&str, &str)]) {
    for (name, expected) in table {
        let schema = json!({"properties": {*name: {"type": "string"}}});
        let context =
            Context { subject, mention: message, question: message, ..Context::default() };
        assert_eq!(
            generate(&schema, &context).json,
            json!({*name: expected}).to_string(),
            "{name}"
        );
    }
}

#[test]
fn generates_typical_samples() {
    let schema = json!({"type": "object", "properties": {
        "location": {"type": "string"}, "temperature": {"type": "number"},
        "count": {"type": "integer"}, "enabled": {"type": "boolean"},
        "address": {"type": "object", "properties": {
            "street": {"type": "string"}, "city": {"type": "string"}}},
        "email": {"type": "string", "format": "email"}, "subject": {"type": "string"},
        "priority": {"type": "integer", "minimum": 1.0, "maximum": 5.0},
        "send_immediately": {"type": "boolean"}}});
    let expected = r#"{"address":{"city":"San Francisco","street":"123 Main St"},"count":42,"email":"test@example.com","enabled":true,"location":"San Francisco","priority":5,"send_immediately":true,"subject":"Test email subject","temperature":42}"#;
    let generated =
        arguments(Some(&schema), &Context::default(), &mut ReplyBudget::new(&Effort::full()));
    assert_eq!(generated, Generated::from(expected.to_owned()));
    let literal = Context { literal: true, ..Context::default() };
    assert!(generate(&schema, &literal).json.contains(r#""priority":42"#));
}

#[test]
fn arguments_are_always_an_object() {
    let none = arguments(None, &Context::default(), &mut ReplyBudget::new(&Effort::full()));
    assert_eq!(none.json, "{}");
    for schema in [json!(null), json!(true), json!(5), json!({}), json!({"type": "string"})] {
        let generated =
            arguments(Some(&schema), &Context::default(), &mut ReplyBudget::new(&Effort::full()));
        assert_eq!(generated.json, "{}", "{schema}");
    }
}

#[test]
fn generates_pydantic_model() {
    let schema = json!({
        "$defs": {
            "Level": {"enum": ["low", "high"], "title": "Level", "type": "string"},
            "Guest": {"properties": {
                "age": {"exclusiveMinimum": 0, "maximum": 30, "title": "Age", "type": "integer"},
                "email": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}},
                "required": ["age"], "title": "Guest", "type": "object"}},
        "properties": {
            "guests": {"items": {"$ref": "#/$defs/Guest"}, "minItems": 2, "type": "array"},
            "lead": {"anyOf": [{"$ref": "#/$defs/Guest"}, {"type": "null"}]},
            "level": {"$ref": "#/$defs/Level", "default": "high"},
            "nights": {"anyOf": [{"type": "string"}, {"type": "integer"}], "default": 3},
            "tags": {"additionalProperties": {"type": "string"}, "type": "object"}},
        "required": ["guests"], "title": "Booking", "type": "object"});
    let guest = json!({"age": 30, "email": "test@example.com"});
    let expected =
        json!({"guests": [guest, guest], "lead": guest, "level": "high", "nights": 3, "tags": {}});
    let whole = Context { optional: Optional::Fill, ..Context::default() };
    let generated = generate(&schema, &whole);
    assert_eq!(generated, Generated::from(expected.to_string()));
    let required = generate(&schema, &Context::default());
    assert_eq!(required.json, r#"{"guests":[{"age":30},{"age":30}]}"#);
}

#[test]
fn uses_values_that_the_schema_provides() {
    check(&[
        (json!({"type": "string", "const": 5.0}), json!(5)),
        (
            json!({"type": "string", "default": "a", "examples": ["b"], "enum": ["c", "a"]}),
            json!("a"),
        ),
        (json!({"type": "integer", "default": "a", "examples": [7.0, 8]}), json!(7)),
        (json!({"type": "integer", "default": 9, "maximum": 5}), json!(5)),
        (json!({"enum": [null, 2.0, 3]}), json!(2)),
        (json!({"enum": [null]}), json!(null)),
        (json!({"type": "string", "enum": [1, "b"]}), json!("b")),
        (json!({"type": ["null", "string"], "enum": [null, "b"]}), json!("b")),
        (json!({"allOf": [{"enum": [1, 2]}, {"enum": [2, 3]}]}), json!(2)),
        (json!({"type": "array", "default": [], "minItems": 1}), json!(["Test get it note"])),
        (
            json!({"type": "object", "default": {"a": 1}, "required": ["b"]}),
            json!({"b": "Test get it b"}),
        ),
        (
            json!({"type": "string", "format": "email", "default": "nobody"}),
            json!("test@example.com"),
        ),
    ]);
}

#[test]
fn combines_nested_schemas() {
    check(&[
        (json!({"anyOf": [{"type": "null"}, {"type": "integer"}], "maximum": 3}), json!(3)),
        (json!({"oneOf": [{"const": null}, {"type": "boolean"}]}), json!(true)),
        (json!({"anyOf": [{"type": "null"}]}), json!(null)),
        (json!({"anyOf": []}), json!("Test get it note")),
        (json!({"allOf": [{"minimum": 50}, {"minimum": 60.5, "type": "integer"}]}), json!(61)),
        (
            json!({"allOf": [{"properties": {"b": {"const": 1}}}, {"required": ["a"]}]}),
            json!({"a": "Test get it a", "b": 1}),
        ),
        (json!({"type": ["null", "boolean"]}), json!(true)),
        (
            json!({"allOf": [{"type": ["integer", "string"]}, {"type": ["string", "null"]}]}),
            json!("Test get it note"),
        ),
        (
            json!({"allOf": [{"type": "number"}, {"type": "integer"}], "minimum": 1.5, "maximum": 2.5}),
            json!(2),
        ),
        (json!({"properties": {"a": {"const": 1}}}), json!({"a": 1})),
        (json!({"items": {"const": 1}}), json!([1])),
        (json!({"minimum": 43}), json!(43)),
        (json!(true), json!("Test get it note")),
    ]);
}

#[test]
fn warns_about_unsupported_keywords_only_if_the_value_is_invalid() {
    for (schema, is_valid) in [
        (json!({"type": "string", "not": {"const": "x"}}), true),
        (json!({"type": "string", "not": {"type": "string"}}), false),
        (json!({"type": "array", "contains": {"type": "string"}}), true),
        (json!({"type": "array", "contains": {"const": 7}}), false),
        (json!({"if": {"type": "string"}, "then": {"minLength": 3}}), true),
    ] {
        let generated = generate(
            &json!({"type": "object", "properties": {"a": schema}, "required": ["a"]}),
            &Context::default(),
        );
        assert_eq!(generated.possible_violation.is_none(), is_valid, "{schema}");
    }
}

#[test]
fn literal_numbers_are_unique_where_needed() {
    let schema = json!({"properties": {"a": {
        "type": "array", "items": {"type": "integer"}, "minItems": 2, "uniqueItems": true}}});
    let literal = Context { literal: true, ..Context::default() };
    assert_eq!(generate(&schema, &literal).json, r#"{"a":[42,43]}"#);
}

#[test]
fn resolves_references() {
    let schema = json!({"$defs": {"a b": {"const": 1}, "c/d": {"const": 2}}, "definitions": {"é": {"const": 3}},
        "properties": {"a": {"$ref": "#/$defs/a%20b"}, "b": {"$ref": "#/$defs/c~1d"}, "c": {"$ref": "#/definitions/%C3%A9"}}});
    assert_eq!(generate(&schema, &Context::default()).json, r#"{"a":1,"b":2,"c":3}"#);
    let lost = json!({"properties": {"a": {"$ref": "https://example.com/schema"}}});
    let generated = generate(&lost, &Context { subject: "it", ..Context::default() });
    assert_eq!(generated.json, r#"{"a":"Test it a"}"#);
    assert_eq!(
        generated.possible_violation.as_deref(),
        Some("/a: https://example.com/schema is not supported")
    );
}

#[test]
fn cuts_cycles() {
    let node = |next: Value| {
        json!({"$defs": {"node": {"type": "object", "properties": {
        "id": {"type": "integer"}, "next": next}, "required": ["id", "next"]}}, "$ref": "#/$defs/node"})
    };
    let next = json!({"$ref": "#/$defs/node"});
    for (next, expected) in [
        (json!({"anyOf": [next, {"type": "null"}]}), json!({"id": 42, "next": null})),
        (json!({"type": "array", "items": next}), json!({"id": 42, "next": []})),
        (json!({"oneOf": [next, {"type": "boolean"}]}), json!({"id": 42, "next": true})),
        (json!({"properties": {"up": {"$ref": "#"}}}), json!({"id": 42, "next": {}})),
    ] {
        let generated = generate(&node(next), &Context::default());
        assert_eq!(generated, Generated::from(expected.to_string()));
    }
    let generated = generate(&node(next), &Context::default());
    assert_eq!(generated.json, r#"{"id":42,"next":{}}"#);
    assert_eq!(
        generated.possible_violation.as_deref(),
        Some("/next: the schema requires infinite nesting")
    );
    assert_eq!(generate(&json!({"$ref": "#"}), &Context::default()).possible_violation, None);
    let bushy = json!({"type": "object", "properties": {
        "all": {"type": "array", "minItems": 1, "items": {"$ref": "#"}}}});
    let generated = generate(&bushy, &Context::default());
    assert_eq!(generated, Generated::from("{}".to_owned()));
    // An invalid optional property is omitted, even from a best-effort value.
    let both = json!({"type": "object", "required": ["me"], "properties": {
        "me": {"$ref": "#"}, "you": {"type": "object", "required": ["a"], "properties": {"a": false}}}});
    assert_eq!(generate(&both, &Context::default()).json, r#"{"me":{}}"#);
}

#[test]
fn generates_numbers_within_constraints() {
    let integer = |schema: Value, expected: Value| {
        let mut schema = schema;
        schema["type"] = json!("integer");
        (schema, expected)
    };
    let number = |schema: Value, expected: Value| {
        let mut schema = schema;
        schema["type"] = json!("number");
        (schema, expected)
    };
    check(&[
        integer(json!({"minimum": 100}), json!(100)),
        integer(json!({"maximum": -3.5}), json!(-4)),
        integer(json!({"exclusiveMaximum": 42}), json!(41)),
        integer(json!({"maximum": 0.5}), json!(0)),
        integer(json!({"exclusiveMinimum": true, "minimum": 42}), json!(43)),
        integer(json!({"exclusiveMinimum": 42.5}), json!(43)),
        integer(json!({"multipleOf": 5}), json!(40)),
        integer(json!({"multipleOf": 0.4}), json!(42)),
        integer(json!({"multipleOf": 10, "minimum": 1, "maximum": 15}), json!(10)),
        integer(json!({"multipleOf": 7, "minimum": 50}), json!(56)),
        integer(json!({"minimum": i64::MAX}), json!(i64::MAX)),
        integer(json!({"minimum": u64::MAX}), json!(u64::MAX)),
        integer(json!({"maximum": i64::MIN}), json!(i64::MIN)),
        integer(json!({"minimum": -1e308, "maximum": 1e308}), json!(42)),
        number(json!({"minimum": 0, "maximum": 1}), json!(1)),
        number(json!({"exclusiveMinimum": 0, "exclusiveMaximum": 1}), json!(0.5)),
        number(json!({"minimum": 0, "exclusiveMaximum": 1}), json!(0)),
        number(json!({"minimum": 99.5}), json!(99.5)),
        number(json!({"multipleOf": 0.1}), json!(42)),
        number(json!({"multipleOf": 0.25, "maximum": 1.9}), json!(1.75)),
        number(json!({"multipleOf": 0.1, "maximum": 0.35}), json!(0.3)),
        number(json!({"multipleOf": 2.5, "minimum": -8, "maximum": -1}), json!(-2.5)),
    ]);
}

#[test]
fn generates_arrays_and_objects() {
    check(&[
        (json!({"type": "array"}), json!(["Test get it note"])),
        (json!({"type": "array", "maxItems": 0}), json!([])),
        (json!({"type": "array", "items": false}), json!([])),
        (json!({"type": "array", "items": {"type": "integer"}, "minItems": 2.0}), json!([42, 42])),
        (
            json!({"type": "array", "items": {"type": "integer", "maximum": 43}, "minItems": 3, "uniqueItems": true}),
            json!([42, 43, 41]),
        ),
        (
            json!({"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 2, "uniqueItems": true}),
            json!(["a", "b"]),
        ),
        (
            json!({"type": "array", "items": {"format": "email"}, "minItems": 2, "uniqueItems": true}),
            json!(["test@example.com", "test2@example.com"]),
        ),
        (
            json!({"type": "array", "minItems": 2, "uniqueItems": true}),
            json!(["Test get it note", "Test get it note 2"]),
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": "boolean"}]}),
            json!([42, true]),
        ),
        (
            json!({"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}, "minItems": 3}),
            json!([1, 2, 2]),
        ),
        (
            json!({"type": "array", "items": [{"const": 1}], "additionalItems": {"const": 2}, "minItems": 2}),
            json!([1, 2]),
        ),
        (json!({"type": "object"}), json!({})),
        (
            json!({"type": "object", "required": ["a"], "additionalProperties": {"type": "integer"}}),
            json!({"a": 42}),
        ),
        (
            json!({"type": "object", "minProperties": 2, "properties": {"b": {"const": 1}}, "additionalProperties": {"const": 2}}),
            json!({"b": 1, "property1": 2}),
        ),
        (
            json!({"properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}, "required": ["c"], "maxProperties": 2}),
            json!({"a": 1, "c": 3}),
        ),
        (json!({"properties": {"a": false, "b": {"const": 2}}}), json!({"b": 2})),
    ]);
}

#[test]
fn ignores_malformed_keywords() {
    check(&[
        (
            json!({"type": "object", "properties": 5, "required": {}, "minProperties": "x"}),
            json!({}),
        ),
        (json!({"type": "integer", "minimum": "x", "multipleOf": 0, "enum": 3}), json!(42)),
        (
            json!({"type": "string", "minLength": -1, "pattern": 3, "format": []}),
            json!("Test get it note"),
        ),
        (json!({"type": 5, "allOf": {}, "anyOf": [7], "$ref": []}), json!("Test get it note")),
        (json!("string"), json!("Test get it note")),
    ]);
}

#[test]
fn reports_why_no_value_is_valid() {
    for (schema, value, reason) in [
        (json!({"enum": []}), json!("Test a"), "enum has no valid value"),
        (
            json!({"type": "integer", "minimum": 5, "maximum": 1}),
            json!(1),
            "no number satisfies the bounds and multipleOf",
        ),
        (
            json!({"type": "string", "pattern": "(?=x)"}),
            json!("Test a"),
            "pattern \"(?=x)\" is not supported",
        ),
        (
            json!({"type": "string", "minLength": 3, "maxLength": 1}),
            json!("T"),
            "no string found that satisfies pattern, format and length",
        ),
        (json!({"type": "string", "not": {}}), json!("Test a"), "not is not supported"),
        (
            json!({"allOf": [{"type": "string"}, {"type": "boolean"}]}),
            json!("Test a"),
            "the types exclude each other",
        ),
        (
            json!({"type": "array", "items": {"type": "boolean"}, "minItems": 3, "uniqueItems": true}),
            json!([true, false]),
            "fewer items than minItems",
        ),
    ] {
        let generated = generate(
            &json!({"type": "object", "properties": {"a": schema}, "required": ["a"]}),
            &Context::default(),
        );
        assert_eq!(generated.json, json!({"a": value}).to_string(), "{schema}");
        assert_eq!(generated.possible_violation, Some(format!("/a: {reason}")), "{schema}");
    }
}
