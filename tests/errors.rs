//! Every error, with its gRPC and its HTTP form: unary and streamed alike.

use mynah::wire::{
    json,
    proto::{
        ConversationInputAlpha2, ConversationMessage, ConversationRequest,
        ConversationRequestAlpha2, ConversationTools,
    },
};
use serde_json::Value;
use tonic::{Code, Status};

use crate::support::{
    Sidecar,
    messages::{assistant, assistant_with_calls, prompt, request, tool, tool_call, user},
    stream,
};

/// A request and how it fails.
struct Failing {
    what: &'static str,
    request: ConversationRequestAlpha2,
    message: String,
    error_code: &'static str,
}

fn failing(
    what: &'static str,
    request: ConversationRequestAlpha2,
    reason: &str,
    error_code: &'static str,
) -> Failing {
    let message = format!("failed conversing with component echo: {reason}");
    Failing { what, request, message, error_code }
}

fn choose(choice: &str, mut request: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    request.tool_choice = Some(choice.to_owned());
    request
}

const PARMS: &str = "ERR_CONVERSATION_INVALID_PARMS";

fn alpha2_errors() -> Vec<Failing> {
    let mut no_function = tool_call("call_123", "f", "{}");
    no_function.tool_types = None;
    let choice = "Must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used";
    let not_found = format!("invalid params: tool choice selected was not found. {choice}");
    let needs_tools = "invalid params: tool choice must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used";
    let weather = || [tool("get_weather", Value::Null)];
    vec![
        Failing {
            what: "unknown component",
            request: ConversationRequestAlpha2 { name: "nope".to_owned(), ..prompt("x", []) },
            message: "failed finding conversation component nope".to_owned(),
            error_code: "ERR_CONVERSATION_NOT_FOUND",
        },
        failing(
            "no inputs",
            ConversationRequestAlpha2 { inputs: vec![], ..prompt("x", []) },
            "missing inputs in request",
            "ERR_CONVERSATION_MISSING_INPUTS",
        ),
        failing(
            "message without type",
            request([ConversationMessage { message_types: None }]),
            "invalid params: message type cannot be nil",
            PARMS,
        ),
        failing(
            "tool call without function",
            request([assistant("x"), assistant_with_calls("y", [no_function])]),
            "invalid params: tool types cannot be nil",
            PARMS,
        ),
        failing("required without tools", choose("required", prompt("x", [])), needs_tools, PARMS),
        failing("unknown tool", choose("get_time", prompt("x", weather())), &not_found, PARMS),
        failing("case of a tool", choose("Get_Weather", prompt("x", weather())), &not_found, PARMS),
        failing("any", choose("any", prompt("x", weather())), &not_found, PARMS),
    ]
}

#[tokio::test]
async fn alpha2_fails_as_daprd_over_grpc() {
    let sidecar = Sidecar::start();
    for Failing { what, request, message, .. } in alpha2_errors() {
        let unary = sidecar.converse(request.clone()).await.expect_err(what);
        let streamed = stream(&sidecar, request).await.expect_err(what);
        for status in [unary, streamed] {
            assert_eq!(status.code(), Code::InvalidArgument, "{what}");
            assert_eq!(status.message(), message, "{what}");
            assert!(status.details().is_empty(), "{what}: no details, as daprd");
        }
    }
}

#[tokio::test]
async fn alpha2_fails_as_daprd_over_http() {
    let sidecar = Sidecar::start();
    for Failing { what, request, message, error_code } in alpha2_errors() {
        let path = format!("/v1.0-alpha2/conversation/{}/converse", request.name);
        let body = json::write(&request).unwrap();
        let unary = sidecar.post(&path, body.clone()).await;
        // An error before the first chunk is the plain error.
        let streamed = sidecar.post_for_events(&path, body).await;
        for reply in [unary, streamed] {
            assert_eq!(reply.status, 400, "{what}");
            assert_eq!(reply.content_type, "application/json", "{what}");
            let expected = serde_json::json!({"errorCode": error_code, "message": message});
            assert_eq!(reply.json(), expected, "{what}");
            assert!(!reply.body.ends_with('\n'), "{what}");
        }
    }
}

#[tokio::test]
async fn checks_come_in_the_order_of_daprd() {
    let sidecar = Sidecar::start();
    let nameless = ConversationMessage { message_types: None };
    let mut wrong = choose("required", request([nameless]));
    let message = async |request: &ConversationRequestAlpha2| {
        sidecar.converse(request.clone()).await.unwrap_err().message().to_owned()
    };
    wrong.name = "nope".to_owned();
    assert!(message(&wrong).await.starts_with("failed finding"));
    wrong.name = "echo".to_owned();
    assert!(message(&wrong).await.contains("message type cannot be nil"));
    wrong.inputs[0].messages = vec![user("x")];
    assert!(message(&wrong).await.contains("tool choice must be"));
    wrong.inputs.clear();
    assert!(message(&wrong).await.contains("missing inputs"));
}

#[tokio::test]
async fn what_daprd_accepts_is_accepted() {
    let sidecar = Sidecar::start();
    let no_messages = ConversationInputAlpha2 { messages: vec![], scrub_pii: None };
    let no_function = ConversationTools { tool_types: None };
    let weather = || [tool("get_weather", Value::Null)];
    let accepted = [
        (
            "an input without messages",
            ConversationRequestAlpha2 { inputs: vec![no_messages], ..request([]) },
        ),
        ("any word without tools", choose("any", prompt("x", []))),
        ("none without tools", choose("none", prompt("x", []))),
        (
            "required with a tool that has no function",
            choose("required", prompt("x", [no_function])),
        ),
        ("an empty choice", choose("", prompt("x", weather()))),
        ("auto", choose("auto", prompt("x", weather()))),
    ];
    for (what, request) in accepted {
        let answer = sidecar.converse(request).await.expect(what);
        assert_eq!(answer.finish_reason, "stop", "{what}");
    }
}

fn alpha1(metadata: &[(&str, &str)]) -> ConversationRequest {
    let inputs = vec![mynah::wire::proto::ConversationInput {
        content: "x".to_owned(),
        ..Default::default()
    }];
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let metadata = metadata.iter().map(pair).collect();
    ConversationRequest { name: "echo".to_owned(), inputs, metadata, ..Default::default() }
}

#[tokio::test]
async fn alpha1_fails_as_daprd() {
    let sidecar = Sidecar::start();
    let collision = "1 error(s) decoding:\n\n* cannot parse 'Temperature' as float: strconv.ParseFloat: parsing \"abc\": invalid syntax";
    let duplicate = "failed to resolve aliases: key k is duplicate in the metadata";
    let missing = "failed conversing with component echo: missing inputs in request";
    let not_found = "failed finding conversation component nope";
    let nameless = ConversationRequest { name: "nope".to_owned(), ..alpha1(&[]) };
    let no_inputs = ConversationRequest { inputs: vec![], ..alpha1(&[]) };
    let metadata_first =
        ConversationRequest { inputs: vec![], ..alpha1(&[("temperature", "abc")]) };
    let cases = [
        (nameless, Code::InvalidArgument, not_found, 400, "ERR_CONVERSATION_NOT_FOUND"),
        (no_inputs, Code::InvalidArgument, missing, 400, "ERR_CONVERSATION_MISSING_INPUTS"),
        (metadata_first, Code::Unknown, collision, 500, "ERROR"),
        (alpha1(&[("Temperature", "abc")]), Code::Unknown, collision, 500, "ERROR"),
        (alpha1(&[("k", "v"), ("K", "w")]), Code::Unknown, duplicate, 500, "ERROR"),
    ];
    for (request, code, message, http, error_code) in cases {
        let mut client = sidecar.client().await;
        let unary = client.converse_alpha1(request.clone()).await.unwrap_err();
        let streamed = client.converse_stream_alpha1(request.clone()).await.unwrap_err();
        for status in [unary, streamed] {
            assert_eq!((status.code(), status.message()), (code, message));
        }
        let path = format!("/v1.0-alpha1/conversation/{}/converse", request.name);
        let reply = sidecar.post(&path, json::write(&request).unwrap()).await;
        assert_eq!(reply.status, http);
        let expected = serde_json::json!({"errorCode": error_code, "message": message});
        assert_eq!(reply.json(), expected);
    }
}

#[tokio::test]
async fn a_method_that_only_daprd_has_says_what_there_is() {
    let sidecar = Sidecar::start();
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", sidecar.grpc));
    let channel = channel.unwrap().connect().await.unwrap();
    for path in ["/dapr.proto.runtime.v1.Dapr/GetState", "/TaskHubSidecarService/Hello"] {
        let status = unary(channel.clone(), path).await;
        assert_eq!(status.code(), Code::Unimplemented, "{path}");
        assert_eq!(status.message(), mynah::wire::error::NOT_SERVED, "{path}");
    }
}

/// Calls a method by its path, with an empty message.
async fn unary(channel: tonic::transport::Channel, path: &'static str) -> Status {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<(), ()>::default();
    let path = http::uri::PathAndQuery::from_static(path);
    client.unary(tonic::Request::new(()), path, codec).await.unwrap_err()
}
