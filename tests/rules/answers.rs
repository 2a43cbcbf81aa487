//! Which rule answers, and what.

use insta::assert_snapshot;
use mynah::internals::wire::proto::ConversationMessage;
use serde_json::json;

use super::{ask, with_rules};
use crate::support::{
    Sidecar,
    messages::{assistant, prompt, request, tool, tool_result, user},
};

async fn content(sidecar: &Sidecar, messages: impl Into<Vec<ConversationMessage>>) -> String {
    sidecar.converse(request(messages)).await.unwrap().content
}

#[tokio::test]
async fn first_rule_whose_conditions_hold_answers() {
    let sidecar = with_rules(
        "rules:
- match: {user: {contains: weather}}
  respond: [{text: It is sunny.}]
- match: {user: {contains: sunny weather}}
  respond: [{text: never}]
- match: {user: {equals: bye}}
  respond: See you.
",
    );
    assert_eq!(ask(&sidecar, "How is the sunny weather?").await, "It is sunny.");
    assert_eq!(ask(&sidecar, "bye").await, "See you.");
    assert_eq!(ask(&sidecar, "Hello!").await, "Hello!");
}

#[tokio::test]
async fn rules_of_higher_priority_are_tried_first() {
    let sidecar = with_rules(
        "rules:
- respond: last
- {match: {user: a}, priority: -1, respond: never}
- {match: {user: b}, priority: 1, respond: first}
- {match: {user: b}, priority: 1, respond: second}
- {match: {user: bc}, priority: 2, respond: most important}
",
    );
    for (prompt, answer) in [("a", "last"), ("b", "first"), ("bc", "most important")] {
        assert_eq!(ask(&sidecar, prompt).await, answer, "{prompt}");
    }
}

#[tokio::test]
async fn chains_count_turns_since_the_last_user_message() {
    let rule = |more: &str| format!("rules:\n- chain: [one, {{respond: two}}]\n  {more}\n");
    let sidecar = with_rules(&rule(""));
    assert_eq!(content(&sidecar, [user("a")]).await, "one");
    assert_eq!(content(&sidecar, [user("a"), assistant("one")]).await, "two");
    assert_eq!(content(&sidecar, [user("a"), assistant("one"), user("b")]).await, "one");
    let later = [user("a"), assistant("one"), tool_result("1", "t", "r"), assistant("two")];
    assert_eq!(content(&sidecar, later.clone()).await, "Chain completed - using fallback response");
    assert_eq!(
        content(&with_rules(&rule("on_exhausted: repeat_last")), later.clone()).await,
        "two"
    );
    assert_eq!(content(&with_rules(&rule("on_exhausted: loop")), later.clone()).await, "one");
    let sidecar = with_rules(&rule("on_exhausted: error"));
    let error = sidecar.converse(request(later)).await.unwrap_err();
    assert_snapshot!(error.message(), @"failed conversing with component echo: rule 1 is exhausted: this is answer 3, but its last is 2");
}

#[tokio::test]
async fn sequences_count_the_answers_of_a_rule() {
    let sidecar = with_rules(
        "rules:
- match: {user: flaky}
  sequence:
  - error: {code: UNAVAILABLE, retry_after: 1s}
  - respond: [{text: fine now}]
- {match: {user: again}, sequence: [one, two], on_exhausted: loop}
- {match: {user: end}, sequence: [one], on_exhausted: error}
",
    );
    assert_eq!(
        ask(&sidecar, "flaky").await,
        "Unavailable: failed conversing with component echo: scripted UNAVAILABLE"
    );
    assert_eq!(ask(&sidecar, "again").await, "one");
    for _ in 0..2 {
        assert_eq!(ask(&sidecar, "flaky").await, "fine now");
    }
    assert_eq!([ask(&sidecar, "again").await, ask(&sidecar, "again").await], ["two", "one"]);
    assert_eq!(ask(&sidecar, "end").await, "one");
    assert_snapshot!(ask(&sidecar, "end").await, @"OutOfRange: failed conversing with component echo: rule 3 is exhausted: this is answer 2, but its last is 1");
}

#[tokio::test]
async fn errors_with_times_fail_that_often() {
    let entries = "[{error: {code: ABORTED}, times: 2}, fine]";
    let sidecar = with_rules(&format!(
        "rules:\n- {{match: {{user: a}}, sequence: {entries}}}\n- {{match: {{user: b}}, chain: {entries}}}\n"
    ));
    let failure = "Aborted: failed conversing with component echo: scripted ABORTED";
    for prompt in ["a", "b", "bb"] {
        for answer in [failure, failure, "fine", "fine"] {
            assert_eq!(ask(&sidecar, prompt).await, answer, "{prompt}");
        }
    }
}

#[tokio::test]
async fn exhausted_rules_can_leave_the_answer_to_the_fallback() {
    let sidecar = with_rules("rules:\n- {sequence: [one], on_exhausted: fallback}\n");
    assert_eq!([ask(&sidecar, "a").await, ask(&sidecar, "a").await], ["one", "a"]);
}

#[tokio::test]
async fn rules_answer_a_limited_number_of_times() {
    let sidecar = with_rules(
        "rules:
- {match: {user: a}, times: 2, respond: first}
- {match: {user: a}, times: 1, sequence: [second, never]}
",
    );
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(ask(&sidecar, "a").await);
    }
    assert_eq!(answers, ["first", "first", "second", "a"]);
}

#[tokio::test]
async fn calls_need_an_offered_tool() {
    let call = "respond: [{tool_call: [{name: get_weather, args: {b: 1.10, a: x}}]}]";
    let sidecar = with_rules(&format!(
        "rules:\n- match: {{user: sunny}}\n  allow_unoffered: true\n  {call}\n- name: weather\n  {call}\n"
    ));
    let offered = prompt("rainy", [tool("get_weather", json!({}))]);
    let answer = sidecar.converse(offered).await.unwrap();
    assert_eq!(answer.calls[0].arguments, json!({"b": 1.1, "a": "x"}));
    assert_snapshot!(ask(&sidecar, "rainy").await, @r#"InvalidArgument: failed conversing with component echo: rule "weather": calls "get_weather", which the request does not offer; offered: none; to call it anyway, set allow_unoffered in a rule, or allowUnoffered in the component"#);
    let answer = sidecar.converse(prompt("sunny", [])).await.unwrap();
    assert_eq!(answer.called_tools(), ["get_weather"]);
}

#[tokio::test]
async fn entries_have_other_keys_beside_their_answers() {
    let sidecar = with_rules(
        "rules:\n- sequence:\n  - {respond: late, delay: 1ms}\n  - {respond: [{text: later}], delay: 1ms}\n",
    );
    assert_eq!(ask(&sidecar, "hi").await, "late");
    assert_eq!(ask(&sidecar, "hi").await, "later");
}
