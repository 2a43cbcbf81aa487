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
    ];
    for (one, other) in cases {
        assert_eq!(hash(one), hash(other), "{one}");
    }
    for (one, other) in [("on 2026-11-27", "on 2026-11-28"), ("at localhost:80", "at localhost:81")]
    {
        assert_ne!(hash(one), hash(other), "{one}");
    }
}

#[test]
fn other_normalization_is_proposed() {
    let cases = [
        ("on 2026-11-27", "on 2026-11-28", Some(Normalization::Date)),
        ("on 7 March 2026", "on 17th March, 2026", Some(Normalization::Date)),
        ("http://127.0.0.1:41234/", "http://127.0.0.1:555/", Some(Normalization::Port)),
        ("in /tmp/pytest-1/a.txt", "in /tmp/pytest-22/a.txt", Some(Normalization::Tmp)),
        ("commit 0123456789abcdef0", "commit fedcba98765432100", Some(Normalization::Hex)),
        ("Monday", "Tuesday", None),
    ];
    for (recorded, seen, expected) in cases {
        let recorded = RequestForm::new(&Request::from(recorded), "gpt");
        let condition = RequestCondition::new(recorded, Normalizer::usual().clone());
        let seen = RequestForm::new(&Request::from(seen), "gpt");
        assert_eq!(
            condition.missing_normalization(&seen, Redactor::of_patterns()),
            expected,
            "{seen:?}"
        );
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
