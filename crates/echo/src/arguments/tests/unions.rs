//! Tests of `anyOf` and `oneOf`.

use serde_json::json;

use super::{Context, Generated, check, generate};

#[test]
fn satisfies_exactly_one_branch() {
    check(&[
        // All properties satisfy both branches, the required ones only the first.
        (
            json!({"oneOf": [
                {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a"]},
                {"type": "object", "required": ["b"]}]}),
            json!({"a": 1}),
        ),
        (json!({"oneOf": [{"type": "number"}, {"type": "integer"}, {"const": "x"}]}), json!("x")),
        (json!({"anyOf": [{"const": "a"}, {"const": "b"}], "default": "b"}), json!("b")),
        (json!({"anyOf": [{"const": "a"}, {"const": "b"}]}), json!("a")),
        (json!({"anyOf": [{"allOf": [false]}, {"type": "boolean"}]}), json!(true)),
    ]);
}

#[test]
fn satisfies_recursive_unions() {
    let schema = json!({"$defs": {
        "expression": {"oneOf": [{"$ref": "#/$defs/sum"}, {"type": "integer"}]},
        "sum": {"type": "object", "required": ["left", "right"], "properties": {
            "left": {"$ref": "#/$defs/expression"}, "right": {"$ref": "#/$defs/expression"}}}},
        "type": "object", "properties": {"note": {"$ref": "#/$defs/expression"}}});
    let generated = generate(&schema, &Context::default());
    assert_eq!(generated, Generated::from(r#"{"note":42}"#.to_owned()));
}

#[test]
fn tries_branches_inside_branches() {
    // Null satisfies both branches, and a sum would contain itself.
    let schema = json!({"$defs": {
        "expression": {"oneOf": [{"$ref": "#/$defs/sum"}, {"type": "integer"}]},
        "sum": {"type": "object", "required": ["left"], "properties": {
            "left": {"$ref": "#/$defs/expression"}}}},
        "type": "object", "required": ["note"], "properties": {"note": {"oneOf": [
            {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/expression"}]}, {"type": "null"}]}}});
    let generated = generate(&schema, &Context::default());
    assert_eq!(generated, Generated::from(r#"{"note":42}"#.to_owned()));
}
