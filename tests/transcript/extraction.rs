//! Tests of which calls are extracted from a text message.

use mynah::{
    chat::{Message, Role},
    tool_loop::transcript::{ExtractedCall, extract},
};

use super::{assistant, user};

fn read(text: &str) -> Option<(String, String)> {
    let ExtractedCall { name, arguments, .. } = extract(&assistant(text))?;
    Some((name, arguments.to_string()))
}

/// Returns the arguments extracted from a list of parameters.
fn parse_list(list: &str) -> String {
    let (_, arguments) =
        read(&format!("AI ACTION (Turn 1): Executing F with parameters: {list}")).unwrap();
    arguments
}

#[test]
fn extracts_calls_of_the_assistant_only() {
    let text = "AI ACTION (Turn 1): Executing F";
    assert!(extract(&assistant(text)).is_some());
    assert_eq!(extract(&user(text)), None);
    assert_eq!(extract(&Message::new(Role::System, text)), None);
    let empty = Message {
        role: Role::Assistant { tool_calls: vec![] },
        name: None,
        parts: vec![],
        attachments: Vec::new(),
    };
    assert_eq!(extract(&empty), None);
}

#[test]
fn extracts_well_formed_calls_only() {
    let f = |arguments: &str| Some(("f".to_owned(), arguments.to_owned()));
    let table = [
        ("AI ACTION (Turn 1): Executing F", f("{}")),
        ("AI ACTION (Turn 123456789012345678901): Executing F", f("{}")),
        // Turn 0 is not written.
        ("AI ACTION: Executing F", f("{}")),
        ("I will. AI ACTION (Turn 1): Executing F with parameters: a: 1", f(r#"{"a":1}"#)),
        ("AI ACTION: AI ACTION (Turn 1): Executing F", f("{}")),
        ("First.\nAI ACTION (Turn 1): Executing F", f("{}")),
        ("AI ACTION (Turn 1): Executing F\n", f("{}")),
        ("AI ACTION (Turn 1): Executing F\nDone.", None),
        ("AI ACTION (Turn 1): Executing F with parameters: a: one\ntwo", None),
        ("AI ACTION (Turn -1): Executing F", None),
        ("AI ACTION (Turn ): Executing F", None),
        ("AI ACTION (Turn 1) Executing F", None),
        ("AI ACTION (Turn 1): executing F", None),
        ("AI ACTION (Turn 1): Executing ", None),
        ("AI ACTION", None),
        ("", None),
        ("AI ACTION (Turn 1): Executing F with parameters:", f("{}")),
    ];
    for (text, expected) in table {
        assert_eq!(read(text), expected, "{text:?}");
    }
}

#[test]
fn converts_names_to_snake_case() {
    for (display, name) in
        [("Search", "search"), ("Foo BAR", "foo_bar"), (" Get-weather ", "get-weather")]
    {
        let text = format!("AI ACTION (Turn 1): Executing {display} with parameters: a: 1");
        assert_eq!(read(&text).unwrap().0, name);
    }
}

#[test]
fn parses_values() {
    let table = [
        ("a: 5", r#"{"a":5}"#),
        ("a: true, b: null, c: 0", r#"{"a":true,"b":null,"c":0}"#),
        (r#"a: "q""#, r#"{"a":"q"}"#),
        ("a: q", r#"{"a":"q"}"#),
        ("a: ", r#"{"a":""}"#),
        ("a: , b: 1", r#"{"a":"","b":1}"#),
        (" a :  x  ", r#"{"a":"x"}"#),
        ("a: 007", r#"{"a":"007"}"#),
        ("a: b: c", r#"{"a":"b: c"}"#),
        ("a: 1, a: 2", r#"{"a":2}"#),
        ("nothing", "{}"),
    ];
    for (text, expected) in table {
        assert_eq!(parse_list(text), expected, "{text:?}");
    }
}

#[test]
fn marks_truncated_values() {
    let read = |list: &str| {
        extract(&assistant(&format!("AI ACTION (Turn 1): Executing F with parameters: {list}")))
    };
    let call = read("a: it goes on..., b: 1").unwrap();
    assert!(call.is_truncated);
    assert_eq!(call.arguments.to_string(), r#"{"a":"it goes on...","b":1}"#);
    assert!(!read("a: ...and on, b: 1").unwrap().is_truncated);
}

#[test]
fn splits_values_at_commas_outside_json() {
    let table = [
        ("a: hello, world", r#"{"a":"hello"}"#),
        ("a: a, b: c", r#"{"a":"a","b":"c"}"#),
        (r#"a: [1,"x"], b: {"c":[]}"#, r#"{"a":[1,"x"],"b":{"c":[]}}"#),
    ];
    for (text, expected) in table {
        assert_eq!(parse_list(text), expected, "{text:?}");
    }
}
