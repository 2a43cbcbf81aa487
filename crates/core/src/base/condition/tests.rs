//! Tests of conditions on texts.

use serde_json::json;

use super::*;

fn condition(source: Value) -> TextCondition {
    serde_json::from_value(source).unwrap()
}

#[test]
fn all_parts_must_hold() {
    let cases = [
        (json!("hell"), true),
        (json!("Hell"), false),
        (json!({ "equals": "hello world" }), true),
        (json!({ "equals": "hello" }), false),
        (json!({ "starts_with": "hello", "contains": "world" }), true),
        (json!({ "starts_with": "hello", "contains": "word" }), false),
        (json!({ "starts_with": "world" }), false),
        (json!({ "matches": r"o\s+w" }), true),
        (json!({ "matches": "^world" }), false),
        (json!({ "equals": "HELLO World", "ignore_case": true }), true),
        (json!({ "matches": "LD$", "ignore_case": true }), true),
        (json!({ "equals": "hello world", "matches": "x" }), false),
        (json!({ "ends_with": "world" }), true),
        (json!({ "ends_with": "hello" }), false),
        (json!({ "ends_with": "WORLD", "ignore_case": true }), true),
        (json!({ "longer_than": 10 }), true),
        (json!({ "longer_than": 11 }), false),
        (json!({ "shorter_than": 12 }), true),
        (json!({ "shorter_than": 11 }), false),
    ];
    for (source, expected) in cases {
        assert_eq!(condition(source.clone()).holds("hello world"), expected, "{source}");
    }
}

#[test]
fn lengths_are_in_characters() {
    let two = condition(json!({ "longer_than": 1, "shorter_than": 3 }));
    for (text, expected) in [("äö", true), ("ä", false), ("äöü", false), ("", false)] {
        assert_eq!(two.holds(text), expected, "{text}");
    }
    // In lower case, this text has three characters.
    assert!(condition(json!({ "shorter_than": 3, "ignore_case": true })).holds("İa"));
}

#[test]
fn numbers_and_booleans_equal_their_json() {
    for (whole, text) in [(json!(7), "7"), (json!(1.5), "1.5"), (json!(true), "true")] {
        assert!(condition(json!({ "equals": whole })).holds(text), "{text}");
    }
    let null = condition(json!({ "equals": null, "contains": "a" }));
    assert!(null.holds("banana"));
}

#[test]
fn invalid_conditions_are_rejected() {
    let error =
        |source: Value| serde_json::from_value::<TextCondition>(source).unwrap_err().to_string();
    let errors = [
        json!({}),
        json!({ "matches": "(" }),
        json!(["a"]),
        json!({ "equal": "a" }),
        json!({ "equals": ["a"] }),
        json!({ "shorter_than": 0 }),
        json!({ "longer_than": 5, "shorter_than": 6 }),
    ];
    insta::assert_snapshot!(errors.map(error).join("\n"), @r#"
    the condition is empty; expected one of equals, contains, starts_with, ends_with, matches, longer_than, shorter_than
    the pattern "(" is invalid: unclosed group
    invalid type: sequence, expected a text that is contained, or a condition such as {equals: a}
    unknown field `equal`, expected one of `equals`, `contains`, `starts_with`, `ends_with`, `matches`, `longer_than`, `shorter_than`, `ignore_case`
    equals must be a text, not a list
    shorter_than is 0; expected at least 1
    no text has more than 5 and less than 6 characters
    "#);
}
