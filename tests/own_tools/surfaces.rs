//! All APIs run the tools of a component, even when they stream.

use serde_json::{Value, json};

use super::{Caller, calls, echo, find_order, scripted};
use crate::{
    chains::{chain, text},
    support::{
        messages::{request, user},
        stream,
    },
};

const FIND: &str = "find order 1001";
const FOUND: &str = r#"{"status":"shipped"}"#;

fn alpha2(text: &str) -> Value {
    json!({"inputs": [{"messages": [{"ofUser": {"content": [{"text": text}]}}]}]})
}

#[tokio::test]
async fn dapr_http_and_alpha1() {
    let sidecar = echo();
    let path = "/v1.0-alpha2/conversation/echo/converse";
    let answer = sidecar.post(path, alpha2(FIND).to_string()).await.json();
    assert_eq!(answer["outputs"][0]["choices"][0]["message"]["content"], FOUND);
    let body = json!({"inputs": [{"content": FIND}]}).to_string();
    let answer = sidecar.post("/v1.0-alpha1/conversation/echo/converse", body).await.json();
    assert_eq!(answer["outputs"][0]["result"], FOUND);
}

#[tokio::test]
async fn openai() {
    let sidecar = echo();
    let body = json!({
        "model": "echo",
        "messages": [{"role": "user", "content": "What about order 1001?"}],
        "tool_choice": {"type": "function", "function": {"name": "find_order"}},
    });
    let answer = sidecar.post("/v1/chat/completions", body.to_string()).await.json();
    assert_eq!(answer["choices"][0]["message"]["content"], FOUND);
    let mut streamed = body;
    streamed["stream"] = json!(true);
    let reply = sidecar.post_for_events("/v1/chat/completions", streamed.to_string()).await;
    assert!(reply.body.contains("shipped"), "{reply:?}");
}

/// Callers that allow only some of their tools do not know those of the component.
#[tokio::test]
async fn openai_callers_withhold_only_their_own_tools() {
    let sidecar = echo();
    let function = |name: &str| json!({"type": "function", "function": {"name": name}});
    let ask = async |tools: &[&str], mode: &str, allowed: &[&str]| {
        let [tools, allowed] = [tools, allowed].map(|names| names.iter().map(|it| function(it)));
        let choice = json!({"mode": mode, "tools": allowed.collect::<Vec<_>>()});
        let body = json!({
            "model": "echo",
            "messages": [{"role": "user", "content": FIND}],
            "tools": tools.collect::<Vec<_>>(),
            "tool_choice": {"type": "allowed_tools", "allowed_tools": choice},
        });
        let answer = sidecar.post("/v1/chat/completions", body.to_string()).await.json();
        answer["choices"][0]["message"].clone()
    };
    for (mode, allowed) in
        [("auto", &[][..]), ("auto", &["send_mail"]), ("required", &["find_order"])]
    {
        let message = ask(&["send_mail"], mode, allowed).await;
        assert_eq!(message["content"], FOUND, "{mode} {allowed:?}");
    }
    // The caller's tool wins the clash, although it is not allowed.
    let message = ask(&["find_order", "send_mail"], "auto", &["send_mail"]).await;
    assert_eq!((&message["content"], &message["tool_calls"]), (&json!(FIND), &json!(null)));
    let message = ask(&["find_order", "send_mail"], "auto", &["find_order"]).await;
    assert_eq!(message["tool_calls"][0]["function"]["name"], "find_order");
}

#[tokio::test]
async fn streams_end_with_the_unary_answer() {
    let sidecar = scripted("");
    let mut first = calls(&[find_order("1001")]);
    first["messages"].as_array_mut().unwrap().insert(0, json!({"text": "One moment, please."}));
    let steps = json!([first, calls(&[find_order("1002")]), text("It has been shipped.")]);
    let asked = request([chain(steps)]);
    let unary = sidecar.converse(asked.clone()).await.unwrap();
    let streamed = stream(&sidecar, asked).await.unwrap();
    assert_eq!(streamed.answer.response, unary.response);
    assert_eq!(unary.content, "One moment, please.\n\nIt has been shipped.");
    assert_eq!(streamed.chunks.concat(), unary.content);
    assert!(streamed.chunks.len() > 4, "{:?}", streamed.chunks);
}

#[tokio::test]
async fn streams_end_with_the_calls_of_the_caller() {
    let sidecar = echo();
    let caller = Caller::new(user("Find order 1001, and send mail to ann."));
    let unary = caller.ask(&sidecar).await;
    let streamed = stream(&sidecar, caller.request()).await.unwrap();
    assert_eq!(streamed.answer.response, unary.response);
    assert_eq!(streamed.answer.called_tools(), ["send_mail"]);
}

#[tokio::test]
async fn server_sent_events() {
    let sidecar = echo();
    let path = "/v1.0-alpha2/conversation/echo/converse";
    let reply = sidecar.post_for_events(path, alpha2(FIND).to_string()).await;
    assert!(reply.body.contains("shipped"), "{reply:?}");
}
