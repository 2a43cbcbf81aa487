//! Checks that the schema and the reader accept the same files, and that the nearest rule is found.

use std::{path::Path, sync::Arc};

use mynah_core::{
    base::{json_schema::Schema, work::Work},
    chat::{Message, Request, Role},
};
use serde_json::Value;

use super::{RuleSources, Rules, matching::MatchedCall, schema};

const VALID: &[&str] = &[
    r#"{"rules": [{"respond": "a"}]}"#,
    r#"{"rules": [{"respond": [{"text": "a"}, {"tools_list": {}}]}], "$schema": "rules.json"}"#,
    r#"{"rules": [{"respond": {"messages": [{"text": "a"}], "delay": "1s"}}]}"#,
    r#"{"rules": [{"respond": {"respond": [{"text": "a"}], "delay": "1s"}}]}"#,
    r#"{"rules": [{"respond": {"respond": "a"}}]}"#,
    r#"{"rules": [{"respond": {"error": {"code": "ABORTED"}}}]}"#,
    r#"{"rules": [{"chain": ["a", [{"text": "b"}]], "on_exhausted": "loop"}]}"#,
    r#"{"rules": [{"sequence": [{"error": {"code": "ABORTED"}, "times": 2}, "b"]}]}"#,
    r#"{"rules": [{"name": "a", "match": {"user": "b"}, "times": 2, "priority": -1, "respond": "c"}]}"#,
    r#"{"rules": [{"allow_unoffered": true, "respond": "c"}]}"#,
    r#"{"rules": [{"faults": {"fail_first": 2, "error": {"code": "ABORTED"}}, "respond": "c"}]}"#,
    r#"{"rules": [{"faults": [{"delay": "1s"}, {"malformed_args": true}], "respond": "c"}]}"#,
    r#"{"expect": [{"match": {"user": "a"}, "count": 2}, {"count": {"at_most": 3}, "name": "a"}]}"#,
    r#"{"rules": [{"name": 2, "respond": "a"}]}"#,
    r#"{"rules": [{"name": true, "respond": "a"}]}"#,
    r#"{"rules": [{"chain": null, "respond": "a"}]}"#,
    r#"{"rules": [{"respond": "a", "on_exhausted": null}]}"#,
    r#"{"rules": [{"respond": {"respond": "a", "times": null}}]}"#,
    r#"{"rules": [{"respond": {"respond": "a", "error": null}}]}"#,
    r#"{"rules": [{"respond": {"respond": "a", "empty": null}}]}"#,
    r#"{"rules": [{"sequence": [{"respond": "a", "cut_after": 1, "times": 2}, "b"]}]}"#,
    r#"{"rules": [{"sequence": ["a", {"respond": [{"error": {"code": "ABORTED"}}], "times": 2}, "a"]}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"user": {"equals": null, "contains": "a"}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"alpha": null}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"turn": {"at_least": 1, "at_most": null}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"json": {"/a": null}}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"json": null, "id": "a"}}}]}"#,
    r#"{"rules": null, "expect": [{"match": {"user": "a"}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"user": {"equals": 5}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"equals": true}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"user": {"ends_with": "b", "longer_than": 3, "shorter_than": 9}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"shorter_than": 9}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"not": {"user": "b"}, "any_of": [{"turn": 1}, {"all_of": [{"turn": 2}]}]}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"offered_only": [], "has_image": true, "has_audio": false, "has_file": null}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"not": null, "any_of": null}}]}"#,
];

const INVALID: &[&str] = &[
    r"{}",
    r#"{"rules": []}"#,
    r#"{"rules": {}}"#,
    r#"{"expect": []}"#,
    r#"{"rule": [{"respond": "a"}]}"#,
    r#"{"rules": [{}]}"#,
    r#"{"rules": [{"respond": "a", "chain": ["b"]}]}"#,
    r#"{"rules": [{"respond": []}]}"#,
    r#"{"rules": [{"respond": {"respond": []}}]}"#,
    r#"{"rules": [{"respond": {"respond": {"messages": [{"text": "a"}]}}}]}"#,
    r#"{"rules": [{"respond": {"respond": "a", "messages": [{"text": "a"}]}}]}"#,
    r#"{"rules": [{"respond": {"messages": [{"txt": "a"}]}}]}"#,
    r#"{"rules": [{"chain": []}]}"#,
    r#"{"rules": [{"sequence": "a"}]}"#,
    r#"{"rules": [{"respond": "a", "on_exhausted": "loop"}]}"#,
    r#"{"rules": [{"chain": ["a"], "on_exhausted": "stop"}]}"#,
    r#"{"rules": [{"respond": "a", "times": 0}]}"#,
    r#"{"rules": [{"respond": "a", "priority": 1.5}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"users": "b"}}]}"#,
    r#"{"rules": [{"respond": "a", "faults": {"delay": 1}}]}"#,
    r#"{"expect": [{"count": {}}]}"#,
    r#"{"rules": [{"respond": null}]}"#,
    r#"{"rules": [{"chain": null}]}"#,
    r#"{"rules": [{"respond": "a", "times": "2"}]}"#,
    r#"{"rules": [{"respond": "a", "priority": "2"}]}"#,
    r#"{"rules": [{"respond": "a", "allow_unoffered": "true"}]}"#,
    r#"{"rules": [{"respond": {"respond": "a", "empty": "outputs"}}]}"#,
    r#"{"rules": [{"respond": {"messages": [{"text": "a"}], "cut_after": 1, "times": 2}}]}"#,
    r#"{"rules": [{"sequence": [{"respond": "a", "times": 2}, "b"]}]}"#,
    r#"{"rules": [{"respond": {"respond": [{"error": {"code": "ABORTED"}}], "cut_after": 1}}]}"#,
    r#"{"rules": [{"respond": {"error": {"code": "ABORTED"}, "times": 2}}]}"#,
    r#"{"rules": [{"respond": [{"tool_call": [{"name": "a"}]}, {"error": {"code": "ABORTED"}}]}]}"#,
    r#"{"rules": [{"respond": {"respond": [{"tool_call": [{"name": "a"}]}, {"error": {"code": "ABORTED"}}]}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"user": null}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"user": {"ignore_case": true}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"ignore_case": true}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"turn": {"exactly": null}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"turn": {"exactly": 1, "at_most": 2}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"user": {"equals": null}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"equals": null}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"last_only": true}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"json": {}}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"last_tool_result": {"json": {"a": 1}}}}]}"#,
    r#"{"rules": null}"#,
    r#"{"rules": [{"respond": "a", "match": {"user": {"equals": ["a"]}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": ["echo"]}]}"#,
    r#"{"rules": [{"respond": "a", "match": "hello"}]}"#,
    r#"{"expect": [["a", {"user": "b"}, 1]]}"#,
    r#"{"rules": [{"respond": "a", "match": {"not": {}}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"not": [{"user": "b"}]}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"any_of": []}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"all_of": [{}]}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"any_of": [{"usr": "b"}]}}]}"#,
    r#"{"rules": [{"respond": "a", "match": {"user": {"longer_than": -1}}}]}"#,
];

fn is_valid(schema: &Schema, text: &str) -> bool {
    let file: Value = serde_json::from_str(text).unwrap();
    let is_valid = schema.is_valid(&file);
    let read = Rules::read(text.to_owned(), Path::new("rules.json"));
    assert_eq!(is_valid, read.is_ok(), "{text}\n{:?}", read.err());
    is_valid
}

#[test]
fn schema_and_reader_accept_the_same_files() {
    let schema = Schema::compile(&schema()).unwrap();
    for text in VALID {
        assert!(is_valid(&schema, text), "{text}");
    }
    for text in INVALID {
        assert!(!is_valid(&schema, text), "{text}");
    }
}

/// Reads the rules of a component.
fn read(text: String) -> RuleSources {
    Arc::new(Rules::read(text, Path::new("rules.json")).unwrap()).into()
}

#[test]
fn the_nearest_of_many_rules_is_found() {
    let rule = |at: usize| {
        let conditions = format!(r#"{{"user": "order {at} please", "tools": ["book"]}}"#);
        format!(r#"{{"name": "{at}", "match": {conditions}, "respond": "a"}}"#)
    };
    let rules: Vec<_> = (0..1_000).map(rule).collect();
    let text = format!(r#"{{"rules": [{}]}}"#, rules.join(","));
    let rules = read(text);
    let request = Request::from("order 777 please");
    let call = MatchedCall::new(&request, "llm");
    let rules = rules.of_call("default");
    let (nearest, failed) = rules.nearest(&call, &Work::unlimited()).unwrap().unwrap();
    assert_eq!((&**nearest.label.text(), failed.len()), ("777", 1));
    assert_eq!(failed[0].condition, "tools");
}

/// Answering no results is not a condition that makes a rule nearer than those before it.
#[test]
fn the_first_of_equally_near_rules_is_nearest() {
    let rules = r#"{"rules": [
        {"match": {"model": "other", "user": "dinner"}, "respond": "fails twice"},
        {"match": {"system": "Route", "response_format": "present"}, "respond": "first"},
        {"match": {"system": "question", "offered_only": ["book"]},
            "respond": [{"tool_call": [{"name": "book", "args": {}}]}]}
    ]}"#;
    let rules = read(rules.to_owned());
    let mut request = Request::from("order 777 please");
    request.messages.insert(0, Message::new(Role::System, "Route the question."));
    let call = MatchedCall::new(&request, "llm");
    let rules = rules.of_call("default");
    let (nearest, _) = rules.nearest(&call, &Work::unlimited()).unwrap().unwrap();
    assert_eq!(nearest.label.to_string(), "rule 2");
}
