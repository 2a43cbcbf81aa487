//! Tests of which calls are duplicates of the previous call, in a history with calls written as
//! text and in one with native calls.

use mynah::{
    chat::{Message, Role},
    tool_loop::transcript::{call_message, validate},
};

use super::{arguments, assistant, call, user};

/// An earlier call, a proposed call, and in which histories the proposed call is a duplicate. Text
/// can lose information that a native call keeps, such as the type of a value.
struct Row {
    earlier: (&'static str, &'static str),
    proposed: (&'static str, &'static str),
    duplicate: Duplicate,
}

/// Whether a call is a duplicate in each history.
#[derive(Clone, Copy)]
struct Duplicate {
    in_text: bool,
    native: bool,
}

fn row(earlier: &'static str, proposed: &'static str, duplicate: Duplicate) -> Row {
    Row { earlier: ("f", earlier), proposed: ("f", proposed), duplicate }
}

fn check(row: &Row) {
    let Row { earlier, proposed, duplicate } = row;
    let text = call_message(earlier.0, &arguments(earlier.1), 1);
    let tool_calls = vec![call("1", earlier.0, earlier.1)];
    let native = Message {
        role: Role::Assistant { tool_calls },
        name: None,
        parts: vec![],
        attachments: Vec::new(),
    };
    for (message, expected) in [(text, duplicate.in_text), (native, duplicate.native)] {
        let found = validate(proposed.0, &arguments(proposed.1), std::slice::from_ref(&message));
        assert_eq!(found.is_some(), expected, "{proposed:?} after {message:?}");
    }
}

const YES: Duplicate = Duplicate { in_text: true, native: true };
const NO: Duplicate = Duplicate { in_text: false, native: false };
/// The text is truncated, so the calls cannot be compared.
const LOST_IN_TEXT: Duplicate = Duplicate { in_text: false, native: true };
/// The text preserves neither types nor case.
const EQUAL_IN_TEXT: Duplicate = Duplicate { in_text: true, native: false };

#[test]
fn compares_arguments() {
    let sixty: &str = r#"{"a": "123456789012345678901234567890123456789012345678901234567890"}"#;
    let fifty: &str = r#"{"a": "12345678901234567890123456789012345678901234567890"}"#;
    let fifty_letters: &str = r#"{"a": "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"}"#;
    let table = [
        row(r#"{"q": "a", "n": 5}"#, r#"{"q": "a", "n": 5}"#, YES),
        // As text, both are `n: 5`.
        row(r#"{"n": 5}"#, r#"{"n": "5"}"#, EQUAL_IN_TEXT),
        row(r#"{"n": "5"}"#, r#"{"n": 5}"#, EQUAL_IN_TEXT),
        row(r#"{"n": "5"}"#, r#"{"n": "5"}"#, YES),
        row(r#"{"n": 1.0}"#, r#"{"n": 1}"#, YES),
        // Numbers are compared by value.
        row(r#"{"n": 1.0}"#, r#"{"n": 1.0}"#, YES),
        row(r#"{"n": 1.5}"#, r#"{"n": 1.5}"#, YES),
        row(r#"{"n": 1e2}"#, r#"{"n": 100}"#, YES),
        row(r#"{"b": true}"#, r#"{"b": true}"#, YES),
        row(r#"{"b": "true"}"#, r#"{"b": "true"}"#, YES),
        row(r#"{"b": null}"#, r#"{"b": null}"#, YES),
        // The order of arguments does not matter.
        row(r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#, YES),
        row(r#"{"a": "A"}"#, r#"{"a": "a"}"#, NO),
        row(r#"{"a": ""}"#, r#"{"a": ""}"#, YES),
        row("{}", "{}", YES),
        row(r#"{"a": "a, b"}"#, r#"{"a": "a, b"}"#, YES),
        row(sixty, sixty, LOST_IN_TEXT),
        row(fifty, fifty, YES),
        row(fifty_letters, fifty_letters, YES),
        row(r#"{"a": "wait..."}"#, r#"{"a": "wait..."}"#, YES),
        row(r#"{"a": [1, "x"], "b": {"c": 1}}"#, r#"{"a": [1, "x"], "b": {"c": 1}}"#, YES),
        row(r#"{"a": " a"}"#, r#"{"a": " a"}"#, YES),
        row(r#"{"a": "x\ny"}"#, r#"{"a": "x\ny"}"#, YES),
        row(r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, NO),
        // The text of one value can begin with that of another.
        row(r#"{"a": "hello, world"}"#, r#"{"a": "hello"}"#, NO),
        row(r#"{"a": "hello"}"#, r#"{"a": "hello, world"}"#, NO),
        row(r#"{"a": "x\ny"}"#, r#"{"a": "x"}"#, NO),
        row(r#"{"a": "x\ny"}"#, r#"{"a": "y"}"#, NO),
        row(r#"{"a": " a"}"#, r#"{"a": "a"}"#, NO),
        row(r#"{"a": "x, b: 1"}"#, r#"{"a": "x", "b": 2}"#, NO),
        row(r#"{"a": "x, y", "b": 1.0}"#, r#"{"b": 1, "a": "x, y"}"#, YES),
    ];
    for row in &table {
        check(row);
    }
}

#[test]
fn compares_names() {
    let table = [
        ("Search", "Search", YES),
        ("findOrder", "findOrder", YES),
        ("Search", "search", EQUAL_IN_TEXT),
        ("get-weather", "get-weather", YES),
        ("f", "g", NO),
    ];
    for (earlier, proposed, duplicate) in table {
        check(&Row { earlier: (earlier, "{}"), proposed: (proposed, "{}"), duplicate });
    }
}

/// Models write calls in other ways than the transcript does.
#[test]
fn compares_calls_that_a_model_wrote() {
    let proposed = arguments(r#"{"place": "Oslo, Norway", "days": 3}"#);
    let check = |parameters: &str, expected| {
        let text =
            format!("I look.\n\nAI ACTION: Executing Get Weather with parameters: {parameters}");
        let found = validate("get_weather", &proposed, &[assistant(&text)]);
        assert_eq!(found.is_some(), expected, "{parameters}");
    };
    check("place: Oslo, Norway, days: 3", true);
    check("days: 3.0, place: Oslo, Norway", true);
    check(r#"days: 3, place: "Oslo, Norway""#, false);
    check(r#"{"days": 3, "place": "Oslo, Norway"}"#, true);
    check("place: Oslo, days: 3", false);
    check("place: Oslo, Norway, days: 4", false);
    check("place: Oslo, Norway", false);
    check("place: Oslo, Norway, days: 3, days: 3", false);
    check(r#"{"days": 3, "place": "Oslo"}"#, false);
}

fn is_duplicate(history: &[Message]) -> bool {
    validate("f", &arguments(r#"{"a": 1}"#), history).is_some()
}

#[test]
fn accepts_any_call_after_a_history_without_calls() {
    assert!(!is_duplicate(&[]));
    assert!(!is_duplicate(&[user("AI ACTION (Turn 1): Executing F with parameters: a: 1")]));
}

#[test]
fn compares_with_the_latest_call_only() {
    let f = || assistant("AI ACTION (Turn 1): Executing F with parameters: a: 1");
    let after = |text: &str| is_duplicate(&[f(), user("TOOL FAILED: f"), assistant(text)]);
    assert!(is_duplicate(&[f()]));
    assert!(
        after("I used an AI ACTION (Turn 2): Executing G"),
        "only a call at the start of a text counts"
    );
    assert!(!after("AI ACTION (Turn 2): Executing G"));
    assert!(!after("AI ACTION, malformed"), "a malformed call hides the one before it");
}

#[test]
fn compares_with_the_last_of_several_calls_in_one_message() {
    let history = |names: [&str; 2]| {
        let tool_calls = names.map(|name| call("1", name, r#"{"a":1}"#)).into();
        [Message::new(Role::Assistant { tool_calls }, "AI ACTION (Turn 1): Executing H")]
    };
    assert!(is_duplicate(&history(["g", "f"])));
    assert!(!is_duplicate(&history(["f", "g"])));
}
