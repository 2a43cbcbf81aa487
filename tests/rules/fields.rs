//! Each condition, with a call for which it holds and one for which it does not.

use insta::assert_snapshot;
use mynah::internals::wire::proto::{
    ConversationInput, ConversationRequest, ConversationRequestAlpha2,
};
use serde_json::json;

use super::{errors::check, with_rules};
use crate::support::{
    Sidecar,
    messages::{
        assistant, developer, encoded_schema, prompt, request, system, tool, tool_result, user,
    },
};

/// Calls that a change turns from a miss into a hit.
type Change = fn(&mut ConversationRequestAlpha2);

const FIELDS: [(&str, Change); 14] = [
    ("last_message: {equals: bye}", |it| *it = request([user("hi"), assistant("bye")])),
    ("any_message: first", |it| *it = request([user("first"), assistant("a"), user("hi")])),
    ("system: [be, {starts_with: use}]", |it| {
        *it = request([system("use tools"), developer("be brief"), user("hi")]);
    }),
    ("user: {equals: HELLO, ignore_case: true}", |it| *it = request([user("hello")])),
    ("turn: 1", |it| *it = request([user("hi"), assistant("a"), user("hi")])),
    ("turn: {at_least: 2, at_most: 2}", |it| {
        *it = request([assistant("a"), user("b"), assistant("c"), user("hi")]);
    }),
    ("has_tool_result: true", |it| *it = request([user("hi"), tool_result("1", "t", "r")])),
    ("last_tool_result: {id: c7}", |it| *it = request([tool_result("c7", "t", "r")])),
    ("last_tool_result: {json: {/days/0/temp: 21}}", |it| {
        *it = request([tool_result("1", "t", r#"{"days": [{"temp": 21.0}]}"#)]);
    }),
    ("tool_choice: required", |it| {
        *it = prompt("hi", [tool("a", json!({}))]);
        it.tool_choice = Some("required".to_owned());
    }),
    ("tool_choice: none", |it| {
        *it = prompt("hi", [tool("a", json!({}))]);
        it.tool_choice = Some("none".to_owned());
    }),
    ("metadata: {tenant: {equals: acme}}", |it| {
        it.metadata.insert("tenant".to_owned(), "acme".to_owned());
    }),
    ("context_id: {starts_with: trip}", |it| it.context_id = Some("trip-7".to_owned())),
    ("response_format: present", |it| {
        it.response_format = Some(encoded_schema(&json!({"type": "object"})));
    }),
];

async fn content(sidecar: &Sidecar, call: ConversationRequestAlpha2) -> String {
    sidecar.converse(call).await.unwrap().content
}

#[tokio::test]
async fn conditions_hold_for_the_calls_that_meet_them() {
    for (field, change) in FIELDS {
        let sidecar = with_rules(&format!(
            "rules:\n- {{match: {{{field}}}, respond: hit}}\n- respond: miss\n"
        ));
        let miss = request([user("hi")]);
        let mut hit = miss.clone();
        change(&mut hit);
        assert_eq!(content(&sidecar, miss).await, "miss", "{field}");
        assert_eq!(content(&sidecar, hit).await, "hit", "{field}");
    }
}

#[tokio::test]
async fn alpha_is_the_version_of_the_api() {
    let sidecar = with_rules("rules:\n- {match: {alpha: 1}, respond: one}\n- respond: two\n");
    assert_eq!(content(&sidecar, request([user("hi")])).await, "two");
    let input = ConversationInput { content: "hi".to_owned(), ..Default::default() };
    let inputs = vec![input];
    let call = ConversationRequest { name: "echo".to_owned(), inputs, ..Default::default() };
    let answer = sidecar.client().await.converse_alpha1(call).await.unwrap().into_inner();
    assert_eq!(answer.outputs[0].result, "one");
}

#[test]
fn groups_with_the_same_name_are_errors() {
    let text = "rules:
- {match: {user: {matches: '(?<a>.)'}, system: {matches: '(?<a>.)'}}, respond: '{{ a }}'}
- {match: {user: {matches: '(?<turn>.)'}}, respond: a}
";
    assert_snapshot!(check(text), @r#"
    rules.yaml:2:11: rule 1: two patterns have a group named "a"; rename one of them
    rules.yaml:3:11: rule 2: a pattern has a group named "turn", which is a variable of templates; rename the group
    0 components, 0 rules files, 2 errors, 0 warnings
    "#);
}

#[tokio::test]
async fn work_of_templates_is_limited() {
    let doubled = "{% set x = x ~ x %}".repeat(60);
    let text = "rules:
- match: {user: loop}
  respond: '{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}'
- match: {user: double}
  respond: \"{% set x = 'x' %}DOUBLED{{ x }}\"
";
    let sidecar = with_rules(&text.replace("DOUBLED", &doubled));
    assert_snapshot!(super::ask(&sidecar, "loop").await, @r#"InvalidArgument: failed conversing with component echo: rule 1: template "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}", line 1, column 39: engine ran out of fuel"#);
    let doubled = super::ask(&sidecar, "double").await;
    assert!(doubled.ends_with("engine ran out of fuel"), "{doubled}");
    assert_eq!(super::ask(&sidecar, "still there").await, "still there");
}
