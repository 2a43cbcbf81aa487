//! Tests of the token limit of a request.

use std::sync::Arc;

use futures_util::StreamExt;
use mynah::{
    chat::{Delta, Request},
    client::RemoteComponent,
    internals::wire::proto::ConversationRequestAlpha2,
    provider::{CallContext, Provider},
};
use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    messages::{assistant, prompt, request, tool, user},
    stream,
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

fn limited(max_tokens: i64, text: &str) -> ConversationRequestAlpha2 {
    ConversationRequestAlpha2 { max_tokens: Some(max_tokens), ..request([user(text)]) }
}

fn chain(steps: &Value) -> String {
    let chain = json!({"instruction_chain": steps});
    format!("<|instruction_start|>{chain}<|instruction_end|>")
}

fn component(kind: &str, metadata: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
         spec: {{type: conversation.{kind}, version: v1, metadata: [{metadata}]}}\n"
    )
}

/// Checks the text, the finish reason and the number of tokens of a whole and of a streamed answer.
async fn check(sidecar: &Sidecar, call: ConversationRequestAlpha2, text: &str, end: &str) {
    let whole = sidecar.converse(call.clone()).await.unwrap();
    assert_eq!((whole.content.as_str(), whole.finish_reason.as_str()), (text, end));
    let usage = whole.response.outputs[0].usage.unwrap();
    assert_eq!(usage.completion_tokens, (text.len() as u64 / 4).max(1));
    let streamed = stream(sidecar, call).await.unwrap();
    assert_eq!(streamed.chunks.concat(), text);
    assert_eq!(streamed.answer.response, whole.response);
}

#[tokio::test]
async fn echo_cuts_longer_texts_at_a_character() {
    let sidecar = Sidecar::start();
    check(&sidecar, limited(3, "Hello, world!"), "Hello, world", "length").await;
    check(&sidecar, limited(3, "Hello, world"), "Hello, world", "stop").await;
    check(&sidecar, limited(i64::MAX, "Hello, world!"), "Hello, world!", "stop").await;
    check(&sidecar, limited(1, "äöü"), "äö", "length").await;
    check(&sidecar, limited(1, "a€€"), "a€", "length").await;
}

#[tokio::test]
async fn scripted_answers_are_cut() {
    let sidecar = Sidecar::with_components(&component("scripted", ""));
    let text = |steps: &Value, max_tokens| limited(max_tokens, &chain(steps));
    let step = json!([{"messages": [{"text": "one two three"}]}]);
    check(&sidecar, text(&step, 2), "one two ", "length").await;
    check(&sidecar, text(&step, 4), "one two three", "stop").await;
    let reason = json!([{"messages": [{"text": "one two"}], "finish_reason": "content_filter"}]);
    check(&sidecar, text(&reason, 1), "one ", "content_filter").await;
    // No chain: the fallback.
    check(&sidecar, limited(2, "one two three"), "one two ", "length").await;
}

#[tokio::test]
async fn calls_are_never_cut() {
    let sidecar = Sidecar::start();
    let tools = [tool("send_email", json!({"type": "object", "properties": {"to": {}}}))];
    let mut call = prompt("Send an email to ann@example.org", tools);
    call.max_tokens = Some(1);
    let answer = sidecar.converse(call).await.unwrap();
    assert_eq!(answer.called_tools(), ["send_email"]);
    assert_eq!(answer.finish_reason, "tool_calls");
    assert_eq!(answer.calls[0].arguments["to"], "ann@example.org");
}

#[tokio::test]
async fn scripted_calls_stay_beside_a_cut_text() {
    let sidecar =
        Sidecar::with_components(&component("scripted", "{name: allowUnoffered, value: true}"));
    let step = json!([{"messages": [{"text": "one two"}, {"tool_call": [{"name": "f"}]}]}]);
    let answer = sidecar.converse(limited(1, &chain(&step))).await.unwrap();
    assert_eq!((answer.content.as_str(), answer.finish_reason.as_str()), ("one ", "tool_calls"));
    assert_eq!(answer.called_tools(), ["f"]);
}

#[tokio::test]
async fn http_has_the_same_limit() {
    let sidecar = Sidecar::start();
    let body = |key: &str, value: Value| {
        let message = json!({"ofUser": {"content": [{"text": "Hello, world!"}]}});
        json!({"inputs": [{"messages": [message]}], key: value}).to_string()
    };
    for (key, value) in [("maxTokens", json!("2")), ("max_tokens", json!(2))] {
        let reply = sidecar.post(ALPHA2, body(key, value)).await.json();
        let choice = &reply["outputs"][0]["choices"][0];
        assert_eq!(choice["message"]["content"], "Hello, w", "{key}");
        assert_eq!(choice["finishReason"], "length");
    }
    let reply = sidecar.post(ALPHA2, body("maxTokens", json!(-1))).await;
    let message = "failed conversing with component echo: invalid params: max_tokens is -1; expected at least 1";
    let expected = json!({"errorCode": "ERR_CONVERSATION_INVALID_PARMS", "message": message});
    assert_eq!((reply.status, reply.json()), (400, expected));
}

#[tokio::test]
async fn openai_takes_the_smaller_of_its_two_limits() {
    let sidecar = Sidecar::start();
    let ask = async |settings: Value| {
        let mut body = json!({"messages": [{"role": "user", "content": "Hello, world!"}]});
        body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        sidecar.post("/v1/chat/completions", body.to_string()).await
    };
    for settings in [
        json!({"max_tokens": 2}),
        json!({"max_completion_tokens": 2}),
        json!({"max_tokens": 2, "max_completion_tokens": 3}),
        json!({"max_tokens": 3, "max_completion_tokens": 2}),
    ] {
        let choice = ask(settings.clone()).await.json()["choices"][0].clone();
        assert_eq!(choice["message"]["content"], "Hello, w", "{settings}");
        assert_eq!(choice["finish_reason"], "length");
    }
    for (key, other) in
        [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")]
    {
        let reply = ask(json!({key: 0, other: 5})).await;
        let message = format!("{key}: 0 is out of range; expected at least 1");
        let error = json!({
            "message": message, "type": "invalid_request_error", "param": key, "code": null,
        });
        assert_eq!((reply.status, reply.json()), (400, json!({ "error": error })));
    }
    let streamed = ask(json!({"max_tokens": 2, "stream": true})).await;
    assert!(streamed.body.contains(r#""finish_reason":"length""#), "{}", streamed.body);
}

#[tokio::test]
async fn a_limit_below_one_is_invalid() {
    let sidecar = Sidecar::start();
    for max_tokens in [0, -5] {
        let call = limited(max_tokens, "hi");
        let status = sidecar.converse(call.clone()).await.unwrap_err();
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
        let reason = format!("max_tokens is {max_tokens}; expected at least 1");
        let message = format!("failed conversing with component echo: invalid params: {reason}");
        assert_eq!(status.message(), message);
        assert_eq!(stream(&sidecar, call).await.unwrap_err().message(), message);
    }
}

#[tokio::test]
async fn daprds_echo_ignores_the_limit() {
    let sidecar = Sidecar::with_components(&component("echo", "{name: mode, value: daprd}"));
    for max_tokens in [-1, 0, 1] {
        let mut call = limited(max_tokens, "Hello, world!");
        call.inputs[0].messages.push(assistant("Hi"));
        let answer = sidecar.converse(call).await.unwrap();
        assert_eq!(
            (answer.content.as_str(), answer.finish_reason.as_str()),
            ("Hello, world!\nHi", "stop")
        );
    }
}

#[tokio::test]
async fn a_remote_component_forwards_the_limit() {
    let sidecar = Sidecar::start();
    let address = sidecar.grpc.to_string();
    let model = Arc::new(RemoteComponent::connect(&address, Some("echo"), None).await.unwrap());
    let asked = Request { max_tokens: Some(3), ..Request::from("Hello, world!") };
    let asked = Arc::new(asked);
    let whole = model.clone().converse(asked.clone(), CallContext::default()).await.unwrap();
    assert_eq!((whole.content.as_str(), whole.finish_reason.as_str()), ("Hello, world", "length"));
    let mut deltas = model.stream(asked, CallContext::default());
    let mut text = String::new();
    while let Some(delta) = deltas.next().await {
        if let Delta::Text(piece) = delta.unwrap() {
            text += &piece;
        }
    }
    assert_eq!(text, "Hello, world");
}
