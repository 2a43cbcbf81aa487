//! Answers to callers that have tools of their own, and what the component remembers of them.

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::json;

use super::{Caller, Owner, TOOLS, calls, echo, find_order, scripted};
use crate::{
    chains::{chain, text},
    support::{
        Sidecar,
        http::direct_client,
        messages::{Answer, assistant, assistant_with_calls, request, tool, tool_call, user},
        stream,
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

/// Like in an instruction chain, the turns that the caller has not seen count.
#[tokio::test]
async fn chains_of_rules_go_on_after_a_restart() {
    let rules = json!({"rules": [{"chain": [
        calls(&[find_order("1001")]),
        calls(&[("count_orders", json!({})), ("send_mail", json!({"to": "ann"}))]),
        {"messages": [{"text": "done"}]},
    ]}]});
    let metadata = format!("  - {{name: rules, value: {}}}\n", json!(rules.to_string() + "\n"));
    let owner = Owner::new("scripted", &metadata, TOOLS);
    let mut caller = Caller::new(user("go"));
    let sidecar = owner.start();
    let first = caller.ask(&sidecar).await;
    assert_eq!(first.called_tools(), ["send_mail"]);
    caller.run(&first);
    assert_eq!(caller.ask(&sidecar).await.content, "done");
    assert_eq!(caller.ask(&owner.start()).await.content, "done", "after a restart");
}

/// Long histories are read on a blocking thread.
#[tokio::test]
async fn unseen_calls_are_put_back_into_a_long_history() {
    let sidecar = scripted("");
    let mut caller = mixed_chain();
    caller.history.insert(0, user(&"long ".repeat(50_000)));
    let first = caller.ask(&sidecar).await;
    assert_eq!(first.called_tools(), ["send_mail"]);
    caller.run(&first);
    let second = caller.ask(&sidecar).await;
    assert_eq!((second.content.as_str(), second.finish_reason.as_str()), ("sent", "stop"));
    let streamed = stream(&sidecar, caller.request()).await.unwrap();
    assert_eq!(streamed.answer.response, second.response);
    assert_eq!(sidecar.log().matches("nothing is remembered").count(), 0);
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

/// A client may store two calls of a turn as two messages, and a malicious one may repeat an id.
#[tokio::test]
async fn unseen_calls_are_put_back_once() {
    let sidecar = scripted("");
    let two = |name: &str| (name.to_owned(), json!({"to": name}));
    let [ann, ben] = ["ann", "ben"].map(two);
    let mails = json!({"messages": [{"tool_call": [
        {"name": "find_order", "args": {"order_id": "1001"}},
        {"name": "send_mail", "args": ann.1, "id": "a"},
        {"name": "send_mail", "args": ben.1, "id": "b"},
    ]}]});
    let mut caller = Caller::new(chain(json!([mails, text("done")])));
    let answer = caller.ask(&sidecar).await;
    assert_eq!(answer.called_tools(), ["send_mail", "send_mail"]);
    let mut apart = Caller { history: caller.history.clone() };
    caller.run(&answer);
    for call in &answer.calls {
        let call = tool_call(&call.id, &call.name, &call.arguments.to_string());
        apart
            .history
            .extend([assistant_with_calls("", [call.clone()]), assistant_with_calls("", [call])]);
    }
    apart.history.extend(caller.history[caller.history.len() - 2..].iter().cloned());
    let [together, apart] = [caller.ask(&sidecar).await, apart.ask(&sidecar).await];
    assert_eq!(prompt_tokens(&together), prompt_tokens(&apart));
}

/// Scripts may use the same ids in different conversations.
#[tokio::test]
async fn conversations_with_the_same_ids_are_kept_apart() {
    let sidecar = scripted("");
    let caller = |order: &str| {
        let calls = json!([
            {"name": "find_order", "args": {"order_id": order}}, {"name": "send_mail", "args": {}, "id": "mine"},
        ]);
        Caller::new(chain(json!([{"messages": [{"tool_call": calls}]}, text("done")])))
    };
    let mut callers = ["1001", "1002"].map(caller);
    for caller in &mut callers {
        let answer = caller.ask(&sidecar).await;
        caller.run(&answer);
    }
    let tokens = [callers[0].ask(&sidecar).await, callers[1].ask(&sidecar).await];
    // {"status":"shipped"} and packed.
    assert_eq!(prompt_tokens(&tokens[0]) - prompt_tokens(&tokens[1]), 5 - 1);
}

#[tokio::test]
async fn the_limit_on_calls_keeps_no_call_from_the_caller() {
    let sidecar = scripted("");
    let mails: Vec<_> = (0..300).map(|number| ("send_mail", json!({"to": number}))).collect();
    let answer = Caller::new(chain(json!([calls(&mails)]))).ask(&sidecar).await;
    assert_eq!((answer.calls.len(), answer.finish_reason.as_str()), (300, "tool_calls"));
}

#[tokio::test]
async fn echo_ignores_mentions_before_its_last_answer_whatever_is_put_back() {
    let sidecar = echo();
    let mut caller = Caller::new(user("Find order 1001, and send mail to ann@example.com."));
    let answer = caller.ask(&sidecar).await;
    caller.run(&answer);
    let sent = caller.ask(&sidecar).await;
    caller.history.extend([assistant(&sent.content), user("find order 1002"), assistant("packed")]);
    caller.history.push(user("Thank you!"));
    assert_eq!(caller.ask(&sidecar).await.content, "Thank you!");
}

#[tokio::test]
async fn results_that_are_put_back_are_scrubbed() {
    let sidecar = scripted("");
    let both = calls(&[("name_packer", json!({})), ("send_mail", json!({}))]);
    let mut caller = Caller::new(chain(json!([both, text("done")])));
    let answer = caller.ask(&sidecar).await;
    caller.run(&answer);
    let plain = caller.ask(&sidecar).await;
    let mut asked = caller.request();
    asked.inputs[0].scrub_pii = Some(true);
    let scrubbed = sidecar.converse(asked).await.unwrap();
    // someone.else@example.com and <EMAIL_ADDRESS>.
    assert_eq!(prompt_tokens(&plain) - prompt_tokens(&scrubbed), 6 - 3);
}
