//! Tests of messages that ask for several calls of a tool.

use serde_json::{Map, Value, json};

use super::super::{Context, Described, ReplyBudget, arguments};
use crate::effort::Effort;

/// Returns the arguments of the calls that a message asks for, and the steps that they took.
fn calls(schema: &Value, mention: &str) -> (Vec<String>, usize) {
    let mut budget = ReplyBudget::new(&Effort::full());
    let before = budget.steps_left();
    let context = Context {
        subject: "measure_it",
        mention,
        reach: 0..mention.len(),
        question: mention,
        ..Context::default()
    };
    let described = Described::arguments(schema, context.subject, &budget);
    let calls = arguments(Some(&described), &context, &mut budget);
    (calls.into_iter().map(|call| call.json).collect(), before - budget.steps_left())
}

#[track_caller]
pub(super) fn check(properties: &Value, required: &[&str], mention: &str, expected: &[Value]) {
    let schema = json!({"properties": properties, "required": required});
    let expected: Vec<String> = expected.iter().map(Value::to_string).collect();
    assert_eq!(calls(&schema, mention).0, expected, "{mention}");
}

#[test]
fn optional_properties_alone_do_not_cause_several_calls() {
    let properties = json!({"size": {"type": "number"}, "depth": {"type": "number"}});
    let mention = "Measure it with a size of 5, 6 and 7";
    let expected = [json!({"size": 5}), json!({"size": 6}), json!({"size": 7})];
    check(&properties, &["size"], mention, &expected);
    let properties =
        json!({"size": {"type": "number"}, "mode": {"type": "string", "default": "fast"}});
    check(&properties, &["mode"], mention, &[json!({"mode": "fast", "size": 5})]);
}

#[test]
fn optional_properties_are_only_in_the_calls_that_state_them_or_follow() {
    let properties = json!({"size": {"type": "number"}, "depth": {"type": "number"}});
    let mention =
        "Measure it with a size of 5, with a size of 6 and a depth of 2, and with a size of 7";
    let expected =
        [json!({"size": 5}), json!({"depth": 2, "size": 6}), json!({"depth": 2, "size": 7})];
    check(&properties, &["size"], mention, &expected);
}

#[test]
fn an_item_that_is_invalid_leaves_one_call() {
    let properties = json!({"size": {"type": "number", "maximum": 9}});
    check(
        &properties,
        &["size"],
        "Measure it with a size of 5 and 6",
        &[json!({"size": 5}), json!({"size": 6})],
    );
    check(&properties, &["size"], "Measure it with a size of 5 and 60", &[json!({"size": 5})]);
}

#[test]
fn values_of_another_property_are_not_those_of_another_call() {
    let properties = json!({"gauge_pressure": {"type": "number"}});
    let mention =
        "Measure it for a gauge pressure of 2 bar, and with an atmospheric pressure of 1 bar";
    check(&properties, &["gauge_pressure"], mention, &[json!({"gauge_pressure": 2})]);
}

#[test]
fn long_lists_cause_a_limited_number_of_calls_and_steps() {
    let number = |index: usize| (format!("size{index}"), json!({"type": "number"}));
    let list = "5 and 6, ".repeat(1000);
    let clauses = "one with a size of 5 and the other with a size of 6, ".repeat(1000);
    for (count, message) in [(1, &list), (1, &clauses), (50, &list), (100, &clauses)] {
        let properties: Map<_, _> = (0..count).map(number).collect();
        let (calls, steps) = calls(&json!({"properties": properties}), message);
        assert!((1..=8).contains(&calls.len()), "{}", calls.len());
        assert!(steps < 200_000, "{steps}");
    }
}

#[test]
fn a_repeated_noun_of_the_tool_starts_a_clause() {
    let properties = json!({"kind": {"enum": ["adult", "child"]}, "count": {"type": "integer"}});
    let mention = "Take one adult measure and two child measures";
    let expected = [json!({"count": 1, "kind": "adult"}), json!({"count": 2, "kind": "child"})];
    check(&properties, &["kind"], mention, &expected);
}
