//! Tests of conditions on calls.

use mynah_core::chat::{LazyJson, Message, Request, Role, Tool, ToolCall, ToolChoice};
use serde_json::{Value, json};

use super::{Captures, Match, MatchedCall};

fn read(source: Value) -> Match {
    serde_json::from_value(source).unwrap()
}

fn error(source: Value) -> String {
    serde_json::from_value::<Match>(source).unwrap_err().to_string()
}

fn assistant(tool_calls: Vec<ToolCall>, text: &str) -> Message {
    Message::new(Role::Assistant { tool_calls }, text)
}

fn result(id: &str, tool: &str, text: &str) -> Message {
    Message::new(Role::Tool { id: Some(id.to_owned()), name: tool.to_owned() }, text)
}

/// A request in which two tools have just returned their results.
fn request() -> Request {
    let call = ToolCall { id: None, name: "get_weather".to_owned(), arguments: "{}".to_owned() };
    let user = Message {
        parts: vec!["Weather".into(), "in Paris?".into()],
        attachments: Vec::new(),
        ..Message::new(Role::User, "")
    };
    let tool = |name: &str| Tool { name: name.to_owned(), description: None, parameters: None };
    Request {
        context_id: Some("trip-7".to_owned()),
        messages: vec![
            Message::new(Role::System, "Be brief."),
            Message::new(Role::Developer, "Use tools."),
            user,
            assistant(vec![], "Let me see."),
            assistant(vec![call], ""),
            result("call_1", "get_weather", r#"{"temp": 21, "sky": ["clear"]}"#),
            result("call_2", "get_time", "It is noon."),
        ],
        tools: vec![tool("get_weather"), tool("get_time")],
        tool_choice: ToolChoice::Tool("get_time".to_owned()),
        metadata: [("tenant".to_owned(), "acme".to_owned())].into(),
        ..Request::default()
    }
}

fn captures(source: Value, request: &Request) -> Option<Captures> {
    let mut call = MatchedCall::new(request, "llm");
    call.model = Some("gpt-4o");
    let matched = read(source);
    let captures = matched.captures(&call);
    assert_eq!(captures.is_some(), matched.mismatches(&call).is_empty());
    assert_eq!(captures.is_some(), matched.holds(&call));
    captures
}

#[test]
fn all_conditions_must_hold() {
    let request = request();
    let cases = [
        (json!({}), true),
        (json!({ "component": "llm", "model": "gpt-4o", "session": "default" }), true),
        (json!({ "component": "ll" }), false),
        (json!({ "model": { "starts_with": "gpt-4" } }), true),
        (json!({ "user": "weather" }), false),
        (json!({ "user": { "contains": "weather", "ignore_case": true } }), true),
        (json!({ "user": { "equals": "Weather\nin Paris?" } }), true),
        (json!({ "system": { "equals": "Be brief.\nUse tools." } }), true),
        (json!({ "any_message": "see" }), true),
        (json!({ "any_message": { "equals": "Weather in Paris?" } }), false),
        (json!({ "last_message": "noon" }), true),
        (json!({ "turn": 1 }), true),
        (json!({ "turn": { "at_least": 2 } }), false),
        (json!({ "has_tool_result": true }), true),
        (json!({ "has_tool_result": false }), false),
        (json!({ "has_tool_result_since_user": true }), true),
        (json!({ "has_tool_result_since_user": false }), false),
        (json!({ "user": ["Weather", { "contains": "Paris" }] }), true),
        (json!({ "user": ["Weather", "Rome"] }), false),
        (json!({ "any_message": ["noon", "brief"] }), true),
        (json!({ "last_tool_result": "noon" }), true),
        (json!({ "last_tool_result": { "tool": "get_weather" } }), true),
        (json!({ "last_tool_result": { "tool": "get_weather", "last_only": true } }), false),
        (json!({ "last_tool_result": { "tool": "get_weather", "contains": "noon" } }), false),
        (json!({ "last_tool_result": { "id": "call_2", "matches": "n..n" } }), true),
        (json!({ "last_tool_result": { "json": { "/temp": 21.0, "/sky/0": "clear" } } }), true),
        (json!({ "last_tool_result": { "json": { "/temp": "21" } } }), false),
        (json!({ "last_tool_result": { "json": { "/wind": null } } }), false),
        (json!({ "tools": ["get_time", "get_weather"] }), true),
        (json!({ "tools": ["get_time", "get_news"] }), false),
        (json!({ "tool_choice": "get_time" }), true),
        (json!({ "tool_choice": "auto" }), false),
        (json!({ "response_format": "absent" }), true),
        (json!({ "response_format": "present" }), false),
        (json!({ "metadata": { "tenant": "acme" } }), true),
        (json!({ "metadata": { "user": "acme" } }), false),
        (json!({ "context_id": "trip-7" }), true),
        (json!({ "context_id": "trip" }), false),
        (json!({ "alpha": 2 }), true),
        (json!({ "alpha": 1 }), false),
        (json!({ "alpha": 2, "turn": 7 }), false),
    ];
    for (source, expected) in cases {
        assert_eq!(captures(source.clone(), &request).is_some(), expected, "{source}");
    }
}

#[test]
fn an_empty_request_lacks_texts() {
    let request = Request::default();
    for field in ["user", "system", "any_message", "last_message", "last_tool_result"] {
        let anything = json!({ field: { "matches": "" } });
        assert_eq!(captures(anything, &request), None, "{field}");
    }
    assert!(captures(json!({ "turn": 0, "has_tool_result": false }), &request).is_some());
}

#[test]
fn named_groups_are_captured() {
    let source = json!({
        "user": { "matches": r"in (?<city>\w+)(?<suffix> or not)?" },
        "last_tool_result": { "tool": { "matches": "get_(?<what>.*)" }, "matches": r#"temp": (?<t>\d+)"# },
        "metadata": { "tenant": { "matches": "^(?<tenant>a)" } },
        "model": { "matches": "gpt-(?<version>.)" },
    });
    insta::assert_compact_debug_snapshot!(captures(source, &request()).unwrap(),
        @r#"{"city": "Paris", "t": "21", "tenant": "a", "version": "4", "what": "weather"}"#);
}

#[test]
fn captures_come_from_the_newest_message() {
    let messages = ["say one", "say two", "stop"].map(|text| Message::new(Role::User, text));
    let request = Request { messages: messages.into(), ..Request::default() };
    let found = captures(json!({ "any_message": { "matches": r"say (?<word>\w+)" } }), &request);
    assert_eq!(found.unwrap()["word"], "two");
}

#[test]
fn mismatches_say_what_was_expected_and_seen() {
    let request = Request { response_format: Some(LazyJson::new(json!({}))), ..request() };
    let mut call = MatchedCall::new(&request, "llm");
    call.alpha1 = true;
    let matched = read(json!({
        "component": "other", "model": "gpt-4o", "context_id": { "contains": "x" }, "alpha": 2,
        "turn": { "at_least": 2, "at_most": 3 }, "has_tool_result": false,
        "tools": ["get_weather", "get_news"], "tool_choice": "auto", "response_format": "absent",
        "metadata": { "tenant": { "starts_with": "b" }, "user": "ann" },
        "user": { "contains": "weather", "matches": "^in" },
        "system": { "equals": "BE", "ignore_case": true }, "last_message": "midnight",
        "any_message": "hello",
        "last_tool_result": { "id": "call_1", "json": { "/temp": 22 } },
    }));
    let lines = matched.mismatches(&call).iter().map(ToString::to_string).collect::<Vec<_>>();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    component: expected "other"; the call has "llm"
    model: expected "gpt-4o"; the call has none
    context_id: expected a text that contains "x"; the call has "trip-7"
    alpha: expected 2; the call has "1"
    turn: expected at least 2 and at most 3; the call has "1"
    has_tool_result: expected false; the call has "true"
    tool_choice: expected "auto"; the call has "get_time"
    response_format: expected absent; the call has "present"
    tools: expected "get_news"; the call has "get_weather, get_time"
    metadata.tenant: expected a text that starts with "b"; the call has "acme"
    metadata.user: expected a text that contains "ann"; the call has none
    user: expected a text that contains "weather"; the call has "Weather\nin Paris?"
    system: expected "be", ignoring case; the call has "Be brief.\nUse tools."
    last_message: expected a text that contains "midnight"; the call has "It is noon."
    last_tool_result.json./temp: expected 22; the call has "21"
    any_message: expected a text that contains "hello"; the call has none
    "#);
}

#[test]
fn invalid_matches_are_rejected() {
    let errors = [
        json!({ "users": "a" }),
        json!({ "user": {} }),
        json!({ "user": [] }),
        json!({ "tools": [] }),
        json!({ "alpha": 3 }),
        json!({ "response_format": true }),
        json!({ "response_format": "Invoice" }),
        json!({ "turn": -1 }),
        json!({ "turn": {} }),
        json!({ "turn": { "at_least": 2, "at_most": 1 } }),
        json!({ "turn": { "exactly": 2, "at_most": 3 } }),
        json!({ "component": 1 }),
        json!({ "last_tool_result": {} }),
        json!({ "last_tool_result": { "text": "a" } }),
        json!({ "last_tool_result": { "json": { "temp": 1 } } }),
        json!({ "last_tool_result": { "json": { "/a~b": 1 } } }),
        json!({ "user": { "matches": "(?<user>a)" } }),
        json!({ "user": { "matches": "(?<a>a)" }, "system": { "matches": "(?<a>a)" } }),
    ];
    insta::assert_snapshot!(errors.map(error).join("\n"), @r#"
    unknown field `users`, expected one of `component`, `model`, `session`, `context_id`, `alpha`, `turn`, `has_tool_result`, `has_tool_result_since_user`, `tools`, `offered_only`, `tool_choice`, `response_format`, `metadata`, `parameters`, `max_tokens`, `temperature`, `scrub_pii`, `user`, `system`, `last_message`, `any_message`, `last_tool_result`, `any_tool_call`, `has_image`, `has_audio`, `has_file`, `request`, `not`, `any_of`, `all_of`
    the condition is empty; expected one of equals, contains, starts_with, ends_with, matches, longer_than, shorter_than
    the list is empty; expected at least one condition
    tools is empty; expected at least one name
    alpha is 3; expected 1 or 2
    invalid type: boolean `true`, expected present, absent, or a condition on its JSON such as {contains: Invoice}
    unknown variant `Invoice`, expected `present` or `absent`
    a negative number; expected a number that is not negative
    the condition is empty; expected exactly, at_least or at_most
    at_least is 2, which is more than the 1 of at_most
    exactly excludes at_least and at_most
    invalid type: integer `1`, expected a name, or a condition such as {starts_with: a}
    the condition is empty; expected one of tool, id, json, equals, contains, starts_with, ends_with, matches, longer_than, shorter_than
    unknown field `text`, expected one of `equals`, `contains`, `starts_with`, `ends_with`, `matches`, `longer_than`, `shorter_than`, `ignore_case`, `tool`, `id`, `json`, `last_only`
    "temp" is not a JSON Pointer; expected "/temp"
    "/a~b" is not a JSON Pointer; a ~ is written as ~0, and a / in a key as ~1
    a pattern has a group named "user", which is a variable of templates; rename the group
    two patterns have a group named "a"; rename one of them
    "#);
}
