//! Each condition, with a call for which it holds and one for which it does not.

use insta::assert_snapshot;
use mynah::internals::wire::proto::{
    ConversationInput, ConversationRequest, ConversationRequestAlpha2,
};
use prost::Message;
use prost_types::Any;
use serde_json::json;

use super::{errors::check, with_rules};
use crate::support::{
    Sidecar,
    messages::{
        assistant, assistant_with_calls, developer, encoded_schema, prompt, request, system, tool,
        tool_call, tool_result, user,
    },
};

/// Calls that a change turns from a miss into a hit.
type Change = fn(&mut ConversationRequestAlpha2);

const FIELDS: [(&str, Change); 37] = [
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
    ("any_tool_call: {tool: refund, json: {/order/id: 7}}", |it| {
        let call = tool_call("1", "refund", r#"{"order": {"id": 7}}"#);
        *it = request([assistant_with_calls("", [call]), user("hi")]);
    }),
    ("any_tool_call: A-17", |it| {
        let call = tool_call("1", "refund", r#"{"order": "A-17"}"#);
        *it = request([assistant_with_calls("", [call]), user("hi"), assistant("a"), user("hi")]);
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
    ("response_format: {matches: '\"title\":\"Invo.ce\"'}", |it| {
        it.response_format = Some(encoded_schema(&json!({"type": "object", "title": "Invoice"})));
    }),
    ("max_tokens: 100", |it| it.max_tokens = Some(100)),
    ("max_tokens: {at_least: 50, at_most: 100}", |it| it.max_tokens = Some(50)),
    ("temperature: 0", |it| it.temperature = Some(0.0)),
    ("temperature: 0.7", |it| it.temperature = Some(0.7)),
    ("temperature: {at_most: 0.2}", |it| it.temperature = Some(0.1)),
    ("scrub_pii: true", |it| it.scrub_pii = Some(true)),
    ("scrub_pii: true", |it| it.inputs[0].scrub_pii = Some(true)),
    ("parameters: {tier: {starts_with: gold}}", |it| {
        it.parameters.insert("tier".to_owned(), any("StringValue", &"golden".to_owned()));
    }),
    ("parameters: {seed: 7, strict: true}", |it| {
        it.parameters.insert("seed".to_owned(), any("Int64Value", &7_i64));
        it.parameters.insert("strict".to_owned(), any("BoolValue", &true));
    }),
    ("user: {ends_with: bye}", |it| *it = request([user("good bye")])),
    ("user: {longer_than: 3}", |it| *it = request([user("äöüß")])),
    ("user: {shorter_than: 2}", |it| *it = request([user("ä")])),
    ("last_tool_result: {longer_than: 1, ends_with: '}'}", |it| {
        *it = request([tool_result("1", "t", "{}")]);
    }),
    ("not: {user: hi}", |it| *it = request([user("bye")])),
    ("not: {user: hi, turn: 0}", |it| *it = request([assistant("a"), user("hi")])),
    ("any_of: [{user: bye}, {turn: 1}]", |it| *it = request([assistant("a"), user("hi")])),
    ("all_of: [{user: {starts_with: a}}, {user: {ends_with: b}}]", |it| {
        *it = request([user("ab")]);
    }),
    ("not: {any_of: [{user: hi}, {not: {turn: 0}}]}", |it| *it = request([user("bye")])),
    ("offered_only: [b, a]", |it| {
        *it = prompt("hi", [tool("a", json!({})), tool("b", json!({}))]);
    }),
    ("parameters: {top_p: 0.5}", |it| {
        it.parameters.insert("top_p".to_owned(), any("DoubleValue", &0.5_f64));
    }),
];

/// Returns a message of a well-known type.
fn any(name: &str, message: &impl Message) -> Any {
    let type_url = format!("type.googleapis.com/google.protobuf.{name}");
    Any { type_url, value: message.encode_to_vec() }
}

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
    rules.yaml:2:11: rule 1: match: two patterns have a group named "a"; rename one of them
    rules.yaml:3:11: rule 2: match: a pattern has a group named "turn", which is a variable of templates; rename the group
    0 components, 1 rules file, 2 errors, 0 warnings
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

#[tokio::test]
async fn templates_know_the_settings_of_the_request() {
    let rule = "{{ request.max_tokens }} {{ request.temperature }} {{ request.scrub_pii }} \
                {{ request.parameters.tier }} {{ request.parameters.seed + 1 }} {{ request.context_id }}";
    let sidecar = with_rules(&format!(
        "rules:\n- {{match: {{user: all}}, respond: '{rule}'}}\n\
         - {{match: {{user: none}}, respond: '{{{{ request.max_tokens is defined }}}}{{{{ request.parameters }}}}'}}\n\
         - {{match: {{user: missing}}, respond: '{{{{ request.max_tokens }}}}'}}\n"
    ));
    let mut call = request([user("all")]);
    (call.max_tokens, call.temperature, call.scrub_pii) = (Some(50), Some(0.5), Some(true));
    call.context_id = Some("chat-1".to_owned());
    call.parameters.insert("tier".to_owned(), any("StringValue", &"gold".to_owned()));
    call.parameters.insert("seed".to_owned(), any("Int32Value", &7_i32));
    assert_eq!(content(&sidecar, call).await, "50 0.5 true gold 8 chat-1");
    assert_eq!(content(&sidecar, request([user("none")])).await, "false{}");
    let error = super::ask(&sidecar, "missing").await;
    assert!(error.contains("`request.max_tokens` is undefined"), "{error}");
}

#[test]
fn invalid_settings_are_errors() {
    let text = "rules:
- {match: {max_tokens: -1}, respond: a}
- {match: {max_tokens: 1.5}, respond: a}
- {match: {temperature: warm}, respond: a}
- {match: {temperature: {at_least: 1, at_most: 0.5}}, respond: a}
- {match: {scrub_pii: 1}, respond: a}
- {match: {parameters: {seed: [7]}}, respond: a}
- {match: {parameters: {seed: {}}}, respond: a}
";
    assert_snapshot!(check(text), @r#"
    rules.yaml:2:24: rule 1: match, max_tokens: a negative number; expected a number that is not negative
    rules.yaml:3:24: rule 2: match, max_tokens: must be a number that is not negative, or a condition such as {at_least: 1}, not 1.5
    rules.yaml:4:25: rule 3: match, temperature: must be a number, or a condition such as {at_most: 0.5}, not "warm"
    rules.yaml:5:25: rule 4: match, temperature: at_least is 1, which is more than the 0.5 of at_most
    rules.yaml:6:23: rule 5: match, scrub_pii: must be true or false, not 1
    rules.yaml:7:31: rule 6: match, parameters, seed: must be a number, a boolean, a text that is contained, or {equals: a}, not a list
    rules.yaml:8:31: rule 7: match, parameters, seed: the condition is empty; expected one of equals, contains, starts_with, ends_with, matches, longer_than, shorter_than
    0 components, 1 rules file, 7 errors, 0 warnings
    "#);
}
