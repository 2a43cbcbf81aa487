//! Tests of the check that tool calls and results in a history match.

use std::fs;

use mynah::internals::wire::{
    components::ConverseRequest,
    proto::{ConversationMessage, ConversationToolCalls},
};
use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    messages::{assistant, assistant_with_calls, request, system, tool_call, tool_result, user},
    scratch, stream,
};

const PREFIX: &str = "failed conversing with component echo: invalid params: ";

fn calls(ids: &[&str]) -> ConversationMessage {
    let calls: Vec<_> = ids.iter().map(|id| tool_call(id, "get_weather", "{}")).collect();
    assistant_with_calls("", calls)
}

fn result(id: &str) -> ConversationMessage {
    tool_result(id, "get_weather", "sunny")
}

/// Returns the error of a history, or an empty text.
async fn error_of(sidecar: &Sidecar, history: Vec<ConversationMessage>) -> String {
    match sidecar.converse(request(history)).await {
        Ok(_) => String::new(),
        Err(status) => {
            assert_eq!(status.code(), tonic::Code::InvalidArgument);
            status.message().strip_prefix(PREFIX).unwrap().to_owned()
        }
    }
}

#[tokio::test]
async fn calls_and_results_that_match_are_accepted() {
    let sidecar = Sidecar::start_with(&["--strict-history"]);
    let histories = [
        vec![user("hi")],
        vec![user("hi"), assistant("hello"), system("be brief"), user("bye")],
        vec![user("hi"), calls(&["a"]), result("a")],
        vec![user("hi"), calls(&["a", "b"]), result("b"), result("a"), assistant("ok"), user("hi")],
        vec![user("hi"), calls(&["a"]), result("a"), calls(&["b"]), result("b")],
    ];
    for (at, history) in histories.into_iter().enumerate() {
        assert_eq!(error_of(&sidecar, history).await, "", "{at}");
    }
}

#[tokio::test]
async fn calls_and_results_that_do_not_match_are_rejected() {
    let sidecar = Sidecar::start_with(&["--strict-history"]);
    let without_id = ConversationToolCalls { id: None, ..tool_call("", "get_weather", "{}") };
    let follow = |id: &str| format!("must follow a message with 'tool_calls' that holds id `{id}`");
    let cases = [
        (vec![user("hi"), result("x")], format!("message 2: role 'tool' {}", follow("x"))),
        (
            vec![user("hi"), calls(&["a"]), result("a"), user("again"), result("a")],
            format!("message 5: role 'tool' {}", follow("a")),
        ),
        (
            vec![user("hi"), calls(&["a"]), result("b")],
            format!("message 3: role 'tool' {}", follow("b")),
        ),
        (
            vec![user("hi"), result("")],
            "message 2: role 'tool' needs the id of a call in the message before".to_owned(),
        ),
        (
            vec![user("hi"), calls(&["a"]), user("well?")],
            "message 2: tool call `a` has no result".to_owned(),
        ),
        (
            vec![user("hi"), calls(&["a", "b"]), result("a"), assistant("ok")],
            "message 2: tool call `b` has no result".to_owned(),
        ),
        (vec![user("hi"), calls(&["a"])], "message 2: tool call `a` has no result".to_owned()),
        (
            vec![calls(&["x"]), result("x"), calls(&["x"]), result("x")],
            "message 3: tool call id `x` is used twice".to_owned(),
        ),
        (
            vec![user("hi"), user("hi"), calls(&["x", "x"]), result("x")],
            "message 3: tool call id `x` is used twice".to_owned(),
        ),
        (
            vec![user("hi"), calls(&["x"]), result("x"), result("x")],
            "message 4: tool call id `x` is used twice".to_owned(),
        ),
        (
            vec![user("hi"), assistant_with_calls("", [without_id])],
            "message 2: the call of tool `get_weather` has no id".to_owned(),
        ),
    ];
    for (history, expected) in cases {
        assert_eq!(error_of(&sidecar, history).await, expected);
    }
}

#[tokio::test]
async fn without_the_flag_any_history_is_accepted() {
    let sidecar = Sidecar::start();
    assert_eq!(
        error_of(&sidecar, vec![user("hi"), result("x"), calls(&["a"]), user("b")]).await,
        ""
    );
}

fn component(name: &str, kind: &str, metadata: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec: {{type: conversation.{kind}, version: v1, metadata: [{metadata}]}}\n"
    )
}

/// Starts a sidecar with components and flags.
fn serving(components: &[String], flags: &[&str]) -> Sidecar {
    let folder = scratch("components");
    fs::write(folder.join("components.yaml"), components.join("---\n")).unwrap();
    let flags = [&["--resources-path", folder.to_str().unwrap()], flags].concat();
    Sidecar::start_with(&flags)
}

/// Returns `true` if the component rejects a result without a call.
async fn is_strict(sidecar: &Sidecar, component: &str) -> bool {
    let mut call = request([user("hi"), result("x")]);
    call.name = component.to_owned();
    sidecar.converse(call).await.is_err()
}

#[tokio::test]
async fn each_component_can_be_strict() {
    let strict = "{name: history, value: strict}";
    let lenient = "{name: history, value: lenient}";
    let components = [
        component("plain", "echo", ""),
        component("strict", "scripted", strict),
        component("lenient", "echo", lenient),
        component("production", "openai", &format!("{{name: key, value: k}}, {strict}")),
    ];
    let stand_in = ["--stand-in", "echo"];
    let sidecar = serving(&components, &stand_in);
    let flagged = serving(&components, &[&stand_in[..], &["--strict-history"]].concat());
    for (name, by_itself, with_flag) in [
        ("plain", false, true),
        ("strict", true, true),
        ("lenient", false, false),
        ("production", true, true),
    ] {
        assert_eq!(is_strict(&sidecar, name).await, by_itself, "{name}");
        assert_eq!(is_strict(&flagged, name).await, with_flag, "{name}");
    }
}

#[tokio::test]
async fn every_api_rejects_such_a_history() {
    let sidecar = Sidecar::start_with(&["--strict-history"]);
    let reason = "message 2: role 'tool' must follow a message with 'tool_calls' that holds id `x`";
    let history = request([user("hi"), result("x")]);
    let status = stream(&sidecar, history).await.unwrap_err();
    assert_eq!(status.message(), format!("{PREFIX}{reason}"));
    let of_user = json!({"ofUser": {"content": [{"text": "hi"}]}});
    let of_tool = json!({"ofTool": {"toolId": "x", "name": "f", "content": [{"text": "r"}]}});
    let body = json!({"inputs": [{"messages": [of_user]}, {"messages": [of_tool]}]});
    let reply = sidecar.post("/v1.0-alpha2/conversation/echo/converse", body.to_string()).await;
    let message = format!("{PREFIX}{reason}");
    let expected = json!({"errorCode": "ERR_CONVERSATION_INVALID_PARMS", "message": message});
    assert_eq!((reply.status, reply.json()), (400, expected));
    let user = json!({"role": "user", "content": "hi"});
    let tool = json!({"role": "tool", "tool_call_id": "x", "content": "r"});
    let body = json!({ "messages": [user, tool] });
    let reply = sidecar.post("/v1/chat/completions", body.to_string()).await;
    let error = json!({
        "message": reason, "type": "invalid_request_error", "param": "messages", "code": Value::Null,
    });
    assert_eq!((reply.status, reply.json()), (400, json!({ "error": error })));
}

#[tokio::test]
async fn instances_of_the_component_socket_can_be_strict() {
    let pluggable = crate::component_socket::Pluggable::start();
    pluggable.init("llm", &[("history", "strict")]).await.unwrap();
    let messages = vec![user("hi"), result("x")];
    let call = ConverseRequest { messages, ..ConverseRequest::default() };
    let call = crate::component_socket::on("llm", call);
    let status = pluggable.conversation().await.converse(call).await.unwrap_err();
    let reason = "message 2: role 'tool' must follow a message with 'tool_calls' that holds id `x`";
    assert_eq!((status.code(), status.message()), (tonic::Code::InvalidArgument, reason));
}
