//! Tests of the index: it finds every rule that matches, and few others.

use std::iter;

use mynah_core::{
    base::redactor::Redactor,
    chat::{Message, Request, Role, Tool},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Index;
use crate::rules::matching::{CallOrigin, Match, MatchedCall};

fn matches(sources: impl IntoIterator<Item = Value>) -> Vec<Match> {
    sources.into_iter().map(|source| serde_json::from_value(source).unwrap()).collect()
}

fn candidates(rules: &[Match], request: &Request) -> Vec<usize> {
    let mut call = MatchedCall::new(request, "llm");
    call.model = Some("gpt-4o-mini");
    Index::new(rules).candidates(&call).collect()
}

/// A request that ends with the result of a tool.
fn request(user: &str) -> Request {
    let role = Role::Tool { id: Some("call_7".to_owned()), name: "get_time".to_owned() };
    let tool = Tool { name: "get_time".to_owned(), description: None, parameters: None };
    Request {
        messages: vec![
            Message::new(Role::System, "Be brief."),
            Message::new(Role::User, user),
            Message::new(role, "It is noon."),
        ],
        tools: vec![tool],
        ..Request::default()
    }
}

/// A rule of one's own may have a key where a recording has none.
#[test]
fn finds_requests_with_and_without_their_secrets() {
    let rule = |text: &str| {
        let messages = json!([{ "role": "user", "text": text }]);
        json!({ "request": { "component": "llm", "messages": messages } })
    };
    let rules = matches(["Use [redacted].", "Say planted-key."].map(rule));
    let redactor = Redactor::new(&["planted-key".to_owned()]);
    let index = Index::new(&rules);
    let found = |text: &str| {
        let (request, model, session) = (Request::from(text), None, "default");
        let origin =
            CallOrigin { component: "llm", model, session, alpha1: false, redactor: &redactor };
        let call = MatchedCall::with_origin(&request, origin);
        index.candidates(&call).find(|rule| rules[*rule].holds(&call))
    };
    assert_eq!(found("Use planted-key."), Some(0));
    assert_eq!(found("Use [redacted]."), Some(0));
    assert_eq!(found("Say planted-key."), Some(1));
    assert_eq!(found("Use other-key."), None);
}

#[test]
fn finds_rules_by_every_kind_of_key() {
    let hits = [
        json!({ "user": "weather" }),
        json!({ "user": { "equals": "the WEATHER in paris", "ignore_case": true } }),
        json!({ "user": { "starts_with": "The" } }),
        json!({ "user": { "matches": "(?i)WEATHER in \\w+" } }),
        json!({ "user": { "matches": "rain|Paris" } }),
        json!({ "system": "brief" }),
        json!({ "any_message": "noon" }),
        json!({ "last_message": "noon" }),
        json!({ "last_tool_result": { "tool": "get_time" } }),
        json!({ "last_tool_result": { "id": "call_7" } }),
        json!({ "last_tool_result": "noon" }),
        json!({ "model": { "starts_with": "gpt-4o" } }),
        json!({ "component": "llm" }),
        json!({ "tools": ["get_time"] }),
    ];
    let misses = [
        json!({ "user": "snow" }),
        json!({ "user": { "equals": "weather" } }),
        json!({ "user": { "matches": "\\bsnow\\b" } }),
        json!({ "any_message": "midnight" }),
        json!({ "last_tool_result": { "tool": "get_weather" } }),
        json!({ "model": "gpt-4" }),
        json!({ "tools": ["get_time", "get_weather"] }),
        json!({ "component": "llm", "system": "verbose" }),
    ];
    let always = [json!({}), json!({ "turn": 3 }), json!({ "user": { "matches": "\\d" } })];
    let expected: Vec<_> = (0..hits.len()).chain([hits.len() + misses.len()]).collect();
    let rules = matches(hits.into_iter().chain(misses).chain(always));
    let mut found = candidates(&rules, &request("The Weather in Paris"));
    assert!(found.is_sorted());
    // The tool that few other rules need is the better key.
    found.truncate(expected.len());
    assert_eq!(found, expected);
}

/// The work for a call is the number of rules that it is compared with.
#[test]
fn many_rules_need_no_more_comparisons_than_few() {
    let kinds: [fn(usize) -> Value; 7] = [
        |at| json!({ "user": { "contains": format!("order {at} please") } }),
        |at| json!({ "user": { "equals": format!("order {at} please") } }),
        |at| json!({ "user": { "starts_with": format!("order {at} p") } }),
        |at| json!({ "user": { "matches": format!("order {at} p\\w+") } }),
        |at| json!({ "user": "order", "tools": [format!("tool_{at}")] }),
        |at| json!({ "user": "order", "model": format!("gpt-{at}") }),
        |at| json!({ "turn": 0, "any_message": { "contains": format!("ORDER {at} ") , "ignore_case": true } }),
    ];
    for (kind, rule) in kinds.into_iter().enumerate() {
        // Compiling patterns is slow.
        let many = if kind == 3 { 1_000 } else { 10_000 };
        for count in [10, many] {
            let rules = matches((0..count).map(rule));
            let wanted = count - 3;
            let mut request = Request::from(format!("order {wanted} please"));
            request.tools.push(Tool {
                name: format!("tool_{wanted}"),
                description: None,
                parameters: None,
            });
            let model = format!("gpt-{wanted}");
            let mut call = MatchedCall::new(&request, "llm");
            call.model = Some(&model);
            let found: Vec<_> = Index::new(&rules).candidates(&call).collect();
            assert_eq!(found, [wanted], "kind {kind}, {count} rules");
        }
    }
}

#[test]
fn candidates_are_compared_only_until_one_is_taken() {
    let rules = matches(iter::repeat_n(json!({ "user": "a" }), 10_000));
    let request = Request::from("a");
    let call = MatchedCall::new(&request, "llm");
    let index = Index::new(&rules);
    let mut candidates = index.candidates(&call);
    assert_eq!(candidates.next(), Some(0));
    assert_eq!(candidates.nth(9_998), Some(9_999));
    assert_eq!(candidates.next(), None);
}

/// Returns a condition, in some cases inside of another one.
fn any_condition() -> impl Strategy<Value = Value> {
    (any_text_condition(), any_text_condition(), 0..5).prop_map(|(one, other, kind)| match kind {
        0 => json!({ "not": one }),
        1 => json!({ "any_of": [one, other] }),
        2 => json!({ "all_of": [one, other] }),
        3 => json!({ "offered_only": ["get_time"], "not": { "any_of": [one, other] } }),
        _ => one,
    })
}

fn any_text_condition() -> impl Strategy<Value = Value> {
    let text = "[abAΣςσ.]{1,3}";
    let kind =
        prop::sample::select(vec!["equals", "contains", "starts_with", "ends_with", "matches"]);
    let field = prop::sample::select(vec![
        "user",
        "system",
        "any_message",
        "last_message",
        "last_tool_result",
        "model",
    ]);
    (field, kind, text, any::<bool>())
        .prop_map(|(field, kind, text, ignore_case)| {
            json!({ field: { kind: text, "ignore_case": ignore_case } })
        })
}

proptest! {
    #[test]
    fn no_matching_rule_is_missed(
        rules in prop::collection::vec(any_condition(), 0..12), user in "[abAΣςσ]{0,5}",
    ) {
        let rules = matches(rules);
        let request = request(&user);
        let call = MatchedCall::new(&request, "llm");
        let matching = || (0..rules.len()).filter(|rule| rules[*rule].holds(&call));
        let found = candidates(&rules, &request);
        prop_assert!(found.is_sorted_by(|left, right| left < right));
        for rule in matching() {
            prop_assert!(found.contains(&rule), "{:?}", rules[rule]);
        }
    }
}
