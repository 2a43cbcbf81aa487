//! Which calls are duplicates of the one before: as the original says, as mynah says of a history
//! that has only text, and of one that has calls. The rules keep their numbers.

use mynah::{
    chat::{Message, Role},
    tool_loop::transcript::{call_message, validate},
};

use super::{arguments, assistant, call, user};

/// An earlier call, a proposed one, and who says that it is a duplicate. Text says what the
/// original does, save two rows, which say why; calls lose nothing, so that the same is the same.
struct Row {
    earlier: (&'static str, &'static str),
    proposed: (&'static str, &'static str),
    original: bool,
    text: bool,
    native: bool,
}

fn row(earlier: &'static str, proposed: &'static str, [original, text, native]: [bool; 3]) -> Row {
    Row { earlier: ("f", earlier), proposed: ("f", proposed), original, text, native }
}

fn check(row: &Row) {
    let Row { earlier, proposed, .. } = row;
    let text = call_message(earlier.0, &arguments(earlier.1), 1);
    let tool_calls = vec![call("1", earlier.0, earlier.1)];
    let native = Message { role: Role::Assistant { tool_calls }, name: None, parts: vec![] };
    for (message, expected) in [(text, row.text), (native, row.native)] {
        let found = validate(proposed.0, &arguments(proposed.1), std::slice::from_ref(&message));
        assert_eq!(found.is_some(), expected, "{proposed:?} after {message:?}");
    }
}

const YES: [bool; 3] = [true; 3];
const NO: [bool; 3] = [false; 3];
/// Text does not tell, or cuts, what a call keeps.
const LOST_IN_TEXT: [bool; 3] = [false, false, true];

#[test]
fn rule_12_the_same_call() {
    let sixty: &str = r#"{"a": "123456789012345678901234567890123456789012345678901234567890"}"#;
    let fifty: &str = r#"{"a": "12345678901234567890123456789012345678901234567890"}"#;
    let fifty_letters: &str = r#"{"a": "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"}"#;
    let table = [
        row(r#"{"q": "a", "n": 5}"#, r#"{"q": "a", "n": 5}"#, YES),
        row(r#"{"n": 5}"#, r#"{"n": "5"}"#, NO),
        // Text says 5; a call says that it is a text.
        row(r#"{"n": "5"}"#, r#"{"n": 5}"#, [true, true, false]),
        row(r#"{"n": "5"}"#, r#"{"n": "5"}"#, LOST_IN_TEXT),
        row(r#"{"n": 1.0}"#, r#"{"n": 1}"#, YES),
        // Numbers are compared by value.
        row(r#"{"n": 1.0}"#, r#"{"n": 1.0}"#, [false, true, true]),
        row(r#"{"n": 1.5}"#, r#"{"n": 1.5}"#, YES),
        row(r#"{"n": 1e2}"#, r#"{"n": 100}"#, YES),
        row(r#"{"b": true}"#, r#"{"b": true}"#, YES),
        row(r#"{"b": "true"}"#, r#"{"b": "true"}"#, LOST_IN_TEXT),
        row(r#"{"b": null}"#, r#"{"b": null}"#, YES),
        // Objects have no order.
        row(r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#, [false, true, true]),
        row(r#"{"a": "A"}"#, r#"{"a": "a"}"#, NO),
        row(r#"{"a": ""}"#, r#"{"a": ""}"#, YES),
        row("{}", "{}", YES),
        row(r#"{"a": "a, b"}"#, r#"{"a": "a, b"}"#, LOST_IN_TEXT),
        row(sixty, sixty, LOST_IN_TEXT),
        // Digits alone are a number, in text.
        row(fifty, fifty, LOST_IN_TEXT),
        row(fifty_letters, fifty_letters, YES),
        row(r#"{"a": "wait..."}"#, r#"{"a": "wait..."}"#, LOST_IN_TEXT),
        row(r#"{"a": [1, "x"], "b": {"c": 1}}"#, r#"{"a": [1, "x"], "b": {"c": 1}}"#, YES),
        row(r#"{"a": " a"}"#, r#"{"a": " a"}"#, LOST_IN_TEXT),
        row(r#"{"a": "x\ny"}"#, r#"{"a": "x\ny"}"#, LOST_IN_TEXT),
        row(r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, NO),
    ];
    for row in &table {
        check(row);
    }
    let others = table.iter().filter(|row| row.original != row.text).count();
    assert_eq!(others, 2, "numbers by value, and order");
}

#[test]
fn rule_12_names() {
    let table = [
        ("Search", "Search", LOST_IN_TEXT),
        ("Search", "search", [true, true, false]),
        ("get-weather", "get-weather", YES),
        ("f", "g", NO),
    ];
    for (earlier, proposed, [original, text, native]) in table {
        check(&Row {
            earlier: (earlier, "{}"),
            proposed: (proposed, "{}"),
            original,
            text,
            native,
        });
    }
}

fn is_duplicate(history: &[Message]) -> bool {
    validate("f", &arguments(r#"{"a": 1}"#), history).is_some()
}

#[test]
fn rule_10_nothing_is_a_duplicate_in_an_empty_history() {
    assert!(!is_duplicate(&[]));
    assert!(!is_duplicate(&[user("AI ACTION (Turn 1): Executing F with parameters: a: 1")]));
}

#[test]
fn rule_11_the_latest_call_counts() {
    let f = || assistant("AI ACTION (Turn 1): Executing F with parameters: a: 1");
    let after = |text: &str| is_duplicate(&[f(), user("TOOL FAILED: f"), assistant(text)]);
    assert!(is_duplicate(&[f()]));
    assert!(after("I used an AI ACTION (Turn 2): Executing G"), "only the start of a text counts");
    assert!(!after("AI ACTION (Turn 2): Executing G"));
    assert!(!after("AI ACTION, malformed"), "what cannot be read hides what is before it");
}

#[test]
fn the_latest_of_several_calls_in_one_message_counts() {
    let history = |names: [&str; 2]| {
        let tool_calls = names.map(|name| call("1", name, r#"{"a":1}"#)).into();
        [Message::new(Role::Assistant { tool_calls }, "AI ACTION (Turn 1): Executing H")]
    };
    assert!(is_duplicate(&history(["g", "f"])));
    assert!(!is_duplicate(&history(["f", "g"])));
}
