//! Answers to callers that have tools of their own, and what the component remembers of them.

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::json;

use super::{Caller, Owner, TOOLS, calls, echo, find_order, scripted};
use crate::{
    chains::{chain, text},
    support::{
        Sidecar,
        http::direct_client,
        messages::{Answer, request, tool, user},
    },
};

/// A chain that calls a tool of the component, then one of the caller's, and then repeats all results.
fn mixed_chain() -> Caller {
    let mail = ("send_mail", json!({"to": "ann"}));
    let steps = json!([
        calls(&[find_order("1001")]),
        calls(&[("count_orders", json!({})), mail]),
        {"messages": [{"tool_results": {}}]},
    ]);
    Caller::new(chain(steps))
}

async fn dropped_requests(sidecar: &Sidecar) -> String {
    let url = format!("http://{}/metrics", sidecar.metrics.unwrap());
    let text = direct_client().get(url).send().await.unwrap().text().await.unwrap();
    let series = r#"mynah_tool_memory_dropped_total{component="echo"} "#;
    text.lines().find_map(|line| line.strip_prefix(series)).unwrap().to_owned()
}

#[tokio::test]
async fn calls_of_the_callers_tools_end_the_request() {
    let sidecar = echo();
    let text = "Find order 1001, and send mail to ann@example.com.";
    let mut caller = Caller::new(user(text));
    let answer = caller.ask(&sidecar).await;
    assert_eq!(answer.called_tools(), ["send_mail"]);
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), ("", "tool_calls"));
    caller.run(&answer);
    let answer = caller.ask(&sidecar).await;
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), ("sent", "stop"));
}

fn prompt_tokens(answer: &Answer) -> u64 {
    answer.response.outputs[0].usage.unwrap().prompt_tokens
}

#[tokio::test]
async fn unseen_calls_are_put_back_into_the_history() {
    let owner = Owner::new("scripted", "", TOOLS);
    let sidecar = owner.start();
    let mut caller = mixed_chain();
    let first = caller.ask(&sidecar).await;
    assert_eq!(first.called_tools(), ["send_mail"]);
    caller.run(&first);
    let second = caller.ask(&sidecar).await;
    assert_eq!((second.content.as_str(), second.finish_reason.as_str()), ("sent", "stop"));
    assert_eq!(caller.ask(&sidecar).await.response, second.response, "asked again");
    assert_eq!(sidecar.log().matches("nothing is remembered").count(), 0);
    // After a restart, the history is used as it came. It lacks {"status":"shipped"} and 7, which are
    // six tokens.
    let sidecar = owner.start();
    let without = caller.ask(&sidecar).await;
    assert_eq!((without.content.as_str(), without.finish_reason.as_str()), ("sent", "stop"));
    assert_eq!(prompt_tokens(&second) - prompt_tokens(&without), 6);
    assert_eq!(sidecar.log().matches("nothing is remembered").count(), 1);
}

#[tokio::test]
async fn the_memory_drops_the_oldest_requests() {
    let sidecar = scripted("  - {name: toolMemory, value: 2}\n");
    let steps = json!([calls(&[find_order("1001"), ("send_mail", json!({}))]), text("done")]);
    let mut callers = Vec::new();
    for number in 0..3 {
        let mut caller = Caller::new(chain(steps.clone()));
        // Different conversations, whose calls have different ids.
        caller.history.insert(0, user(&format!("conversation {number}")));
        let answer = caller.ask(&sidecar).await;
        caller.run(&answer);
        callers.push(caller);
    }
    assert_eq!(dropped_requests(&sidecar).await, "1");
    for caller in &callers[1..] {
        assert_eq!(caller.ask(&sidecar).await.content, "done");
    }
    assert_eq!(sidecar.log().matches("nothing is remembered").count(), 0);
    assert_eq!(callers[0].ask(&sidecar).await.content, "done");
    assert_eq!(sidecar.log().matches("nothing is remembered").count(), 1);
}

#[tokio::test]
async fn the_tools_of_the_caller_win_a_clash_of_names() {
    let sidecar = echo();
    let mine =
        tool("find_order", json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
    let asked =
        ConversationRequestAlpha2 { tools: vec![mine], ..request([user("find order 1001")]) };
    let answer = sidecar.converse(asked).await.unwrap();
    assert_eq!(answer.called_tools(), ["find_order"]);
    assert_eq!(answer.calls[0].arguments, json!({"n": 1001}));
}

#[tokio::test]
async fn calls_of_unknown_tools_are_the_callers() {
    let sidecar = scripted("  - {name: allowUnoffered, value: 'true'}\n");
    let steps = json!([calls(&[("no_such_tool", json!({}))])]);
    let answer = sidecar.converse(request([chain(steps)])).await.unwrap();
    assert_eq!(
        (answer.called_tools(), answer.finish_reason.as_str()),
        (vec!["no_such_tool"], "tool_calls")
    );
}
