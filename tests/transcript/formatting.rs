//! Tests of formatting names, values, results and failures as text.

use mynah::tool_loop::transcript::{
    Arguments, ExecutedCall, ToolResult, Wording, call_message, display_name,
};
use serde_json::{Value, json};

use super::{arguments, assistant};

#[test]
fn formats_display_names() {
    let table = [
        ("google_search", "Google Search"),
        ("get-weather", "Get-weather"),
        ("a__b", "A  B"),
        ("ALLCAPS", "ALLCAPS"),
        ("WordPress_publish", "WordPress Publish"),
        ("übung_x", "übung X"),
        ("two words", "Two Words"),
        ("", ""),
    ];
    for (name, display) in table {
        assert_eq!(display_name(name), display, "{name}");
    }
}

#[test]
fn formats_calls_by_turn_and_argument_order() {
    let none = Arguments::default();
    assert_eq!(call_message("now", &none, 3), assistant("AI ACTION (Turn 3): Executing Now"));
    assert_eq!(call_message("now", &none, 0), assistant("AI ACTION: Executing Now"));
    let order = arguments(r#"{"z": 1, "a": 2, "m": 3, "z": 4}"#);
    let text = "AI ACTION (Turn 1): Executing Now with parameters: z: 4, a: 2, m: 3";
    assert_eq!(call_message("now", &order, 1), assistant(text));
}

/// Returns a value as it is shown in a call.
fn shown(value: Value) -> String {
    let text = call_message("f", &Arguments::from([("v", value)]), 1).text().into_owned();
    text.strip_prefix("AI ACTION (Turn 1): Executing F with parameters: v: ").unwrap().to_owned()
}

#[test]
fn formats_values() {
    let table = [
        (json!("plain, text: as \"it\" is\n"), "plain, text: as \"it\" is\n"),
        (json!(""), ""),
        (json!(5), "5"),
        (json!(1.0), "1"),
        (json!(-0.0), "0"),
        (json!(1.5), "1.5"),
        (json!(u64::MAX), "18446744073709551615"),
        (json!(1e300), "1e+300"),
        (json!(true), "true"),
        (json!(null), "null"),
        (json!([]), "[]"),
        (json!({"b": [1, "a b"], "a": 2.0}), r#"{"a":2,"b":[1,"a b"]}"#),
        // `/` and `é` are not escaped: JSON does not require it, and models read them more easily.
        (json!(["v/w", "é"]), r#"["v/w","é"]"#),
    ];
    for (value, text) in table {
        assert_eq!(shown(value.clone()), text, "{value}");
    }
}

#[test]
fn truncates_strings_to_50_characters() {
    for letter in ["x", "é", "🦜"] {
        assert_eq!(shown(json!(letter.repeat(50))), letter.repeat(50));
        assert_eq!(shown(json!(letter.repeat(51))), letter.repeat(50) + "...");
    }
    let long = json!(["x".repeat(60)]);
    assert_eq!(shown(long.clone()), long.to_string(), "only strings are truncated");
}

fn result(result: &ToolResult, turn: u32) -> String {
    let executed = ExecutedCall { name: "get_weather", arguments: &Arguments::default(), result };
    Wording::default().message(&executed, turn).text().into_owned()
}

#[test]
fn formats_failures() {
    let failed = |error: &str| result(&ToolResult::failure(error), 2);
    assert_eq!(
        failed("no network"),
        "TOOL RESPONSE (Turn 2): TOOL FAILED: get_weather execution failed - no network"
    );
    assert_eq!(
        failed(""),
        "TOOL RESPONSE (Turn 2): TOOL FAILED: get_weather execution failed - Unknown error occurred"
    );
    let with_data =
        ToolResult::Failure { error: "late".to_owned(), data: json!({"after": 30}).into() };
    assert_eq!(
        result(&with_data, 0),
        "TOOL FAILED: get_weather execution failed - late\n\n{\"after\":30}"
    );
}

#[test]
fn omits_the_label_of_turn_0() {
    let text = result(&ToolResult::success(json!(null)), 0);
    assert_eq!(
        text,
        "SUCCESS: Get Weather completed successfully. The requested operation has been finished as requested."
    );
}

#[test]
fn appends_data_unless_it_is_empty() {
    let data = |data: Value| {
        let text = result(&ToolResult::success(data), 1);
        text.split_once("\n\n").map(|(_, data)| data.to_owned())
    };
    for empty in [json!(null), json!(""), json!([]), json!({})] {
        assert_eq!(data(empty.clone()), None, "{empty}");
    }
    // `0` and `false` can be an answer, so they do not count as empty.
    for value in [json!(0), json!("0"), json!(false), json!("text"), json!([null])] {
        assert_eq!(data(value.clone()), Some(value.to_string()), "{value}");
    }
}
