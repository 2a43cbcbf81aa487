use mynah_core::chat::{LazyJson, Message, Request, Role, Tool, ToolCall};
use serde_json::json;

use super::*;

fn form(request: &Request) -> NormalizedForm {
    NormalizedForm::of_recorded(RequestForm::new(request, "gpt"), Normalizer::usual())
}

fn hash(prompt: &str) -> u64 {
    form(&Request::from(prompt)).hash()
}

#[test]
fn usual_normalization_is_of_ids_and_times() {
    let cases = [
        ("run 6f9619ff-8b86-d011-b42d-00c04fc964ff", "run 00000000-8B86-d011-b42d-00c04fc964ff"),
        ("now: 2026-11-27T22:38:56Z.", "now: 2025-01-02 03:04."),
        ("It is Friday, November 27, 2026 at 10:32 AM", "It is Saturday, March 1, 2025 at 9:05 PM"),
        ("Fri, 27 Nov 2026 22:38:56 +0000", "Sat, 1 Mar 2025 01:02:03 +0100"),
        ("It is Mon Nov 30 00:29:31 2026.", "It is Tue Nov  3 10:09:01 2026."),
        ("It is Mon Nov 30 00:29:31 2026.", "It is Mon Nov 30 00:29:32 UTC 2026."),
        ("date: Mon Nov 30 12:29:31 AM CET 2026", "date: Sun Mar 01 15:04:05 -0700 2026"),
        ("Monday, 30-Nov-26 00:29:31 UTC", "Tuesday, 03-Mar-26 10:09:01 GMT"),
        ("Mon, 30-Nov-2026 00:29:31 GMT", "Monday, 30-Nov-26 00:29:31 UTC"),
        ("at 20261126T192933Z", "at 20250102T030405Z"),
        ("at 20261126T192933.25+0100,", "at 20250102T0304,"),
        (
            "2026-11-30 00:29:31.123456789 +0000 UTC m=+0.000123456",
            "2026-11-30 00:29:32.5 +0100 CET m=+17.000000001",
        ),
    ];
    for (one, other) in cases {
        assert_eq!(hash(one), hash(other), "{one}");
    }
    let differ = [
        ("on 2026-11-27", "on 2026-11-28"),
        ("at localhost:80", "at localhost:81"),
        ("at 00:29:31", "at 00:29:32"),
        ("at 1790642971", "at 1790642972"),
        ("run 20261126T192933abc", "run 20261126T192934abc"),
        ("part 20269926T192933", "part 20269926T192934"),
    ];
    for (one, other) in differ {
        assert_ne!(hash(one), hash(other), "{one}");
    }
}

/// The patterns of the documentation.
#[test]
fn patterns_are_for_what_is_not_recognized() {
    let cases = [
        (r"It is \d+:\d+:\d+", "It is 00:29:31", "It is 10:09:01"),
        (r"\b1\d{9}(\d{3})?(\.\d+)?\b", "at 1790642971", "at 1790642971.25"),
        (r"\b1\d{9}(\d{3})?(\.\d+)?\b", "at 1790642971", "at 1790642971250"),
    ];
    for (pattern, one, other) in cases {
        let source = json!([{ "pattern": pattern, "as": "<value>" }, "datetime"]);
        let normalizer = Normalizer::new(serde_json::from_value(source).unwrap()).unwrap();
        let hash = |prompt: &str| {
            let form = RequestForm::new(&Request::from(prompt), "gpt");
            NormalizedForm::of_recorded(form, &normalizer).hash()
        };
        assert_eq!(hash(one), hash(other), "{pattern}");
    }
}

#[test]
fn other_normalization_is_proposed() {
    let cases = [
        ("on 2026-11-27", "on 2026-11-28", Some("[uuid, datetime, date]")),
        ("on 7 March 2026", "on 17th March, 2026", Some("[uuid, datetime, date]")),
        ("on 30-Nov-26", "on 1-Dec-2026", Some("[uuid, datetime, date]")),
        ("http://127.0.0.1:41234/", "http://127.0.0.1:555/", Some("[uuid, datetime, port]")),
        ("in /tmp/pytest-1/a.txt", "in /tmp/pytest-22/a.txt", Some("[uuid, datetime, tmp]")),
        ("commit 0123456789abcdef0", "commit fedcba98765432100", Some("[uuid, datetime, hex]")),
        ("Monday", "Tuesday", None),
    ];
    for (recorded, seen, expected) in cases {
        let recorded = RequestForm::new(&Request::from(recorded), "gpt");
        let condition = RequestCondition::new(recorded, Normalizer::usual().clone());
        let seen = RequestForm::new(&Request::from(seen), "gpt");
        let missing = condition.missing_normalization(&seen, Redactor::of_patterns());
        assert_eq!(missing.map(|it| it.to_string()).as_deref(), expected, "{seen:?}");
    }
}

#[test]
fn ids_and_spellings_do_not_matter() {
    let request = |id: &str, arguments: &str, schema| {
        let call = ToolCall {
            id: Some(id.to_owned()),
            name: "add".to_owned(),
            arguments: arguments.to_owned(),
        };
        let parameters = Some(LazyJson::new(schema));
        Request {
            messages: vec![
                Message::user("1 + 2?"),
                Message::new(Role::Assistant { tool_calls: vec![call] }, ""),
                Message::tool(id, "add", "3"),
            ],
            tools: vec![Tool { name: "add".to_owned(), description: None, parameters }],
            ..Request::default()
        }
    };
    let one = request("a", r#"{"a": 1, "b": 2}"#, json!({ "maxProperties": 2 }));
    let other = request("b", r#"{"b":2.0,"a":1}"#, json!({ "maxProperties": 2.0 }));
    assert_eq!(form(&one).form, form(&other).form);
    let differs = request("a", r#"{"a":1}"#, json!({ "maxProperties": 2 }));
    let condition =
        RequestCondition::new(RequestForm::new(&one, "gpt"), Normalizer::usual().clone());
    let [difference] = condition.differences(&form(&differs)).try_into().unwrap();
    assert_eq!(difference.path, "messages.2.tool_calls.1.args.b");
}

#[test]
fn arguments_of_null_are_read_again() {
    let call = ToolCall { id: None, name: "add".to_owned(), arguments: "null".to_owned() };
    let messages = vec![Message::new(Role::Assistant { tool_calls: vec![call] }, "")];
    let form = RequestForm::new(&Request { messages, ..Request::default() }, "gpt");
    let written = serde_json::to_string(&form).unwrap();
    assert_eq!(
        serde_json::from_str::<RequestForm>(&written).unwrap().canonical(),
        form,
        "{written}"
    );
}
