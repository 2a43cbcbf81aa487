//! Tests of errors over gRPC and HTTP, for unary and streaming calls.

use mynah::internals::wire::{
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

/// The error message for every path and method that mynah does not serve.
pub(crate) const NOT_SERVED: &str = "mynah serves the conversation API only: \
    POST /v1.0-alpha1/conversation/{name}/converse, POST /v1.0-alpha2/conversation/{name}/converse, \
    GET /v1.0/healthz, GET /v1.0/healthz/outbound, GET /v1.0/metadata, PUT /v1.0/metadata/{key}, \
    POST /v1.0/shutdown; over gRPC, ConverseAlpha1, ConverseAlpha2, ConverseStreamAlpha1, \
    ConverseStreamAlpha2, GetMetadata, SetMetadata and Shutdown; to pass on other calls to a daprd, \
    start mynah with --daprd and --daprd-http";

/// A request that fails, and the expected error.
struct Failure {
    name: &'static str,
    request: ConversationRequestAlpha2,
    message: String,
    error_code: &'static str,
}

fn failure(
    name: &'static str,
    request: ConversationRequestAlpha2,
    reason: &str,
    error_code: &'static str,
) -> Failure {
    let message = format!("failed conversing with component echo: {reason}");
    Failure { name, request, message, error_code }
}

fn choose(choice: &str, mut request: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    request.tool_choice = Some(choice.to_owned());
    request
}

const PARMS: &str = "ERR_CONVERSATION_INVALID_PARMS";

fn alpha2_errors() -> Vec<Failure> {
    let mut no_function = tool_call("call_123", "f", "{}");
    no_function.tool_types = None;
    let choice = "Must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used";
    let not_found = format!("invalid params: tool choice selected was not found. {choice}");
    let needs_tools = "invalid params: tool choice must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used";
    let weather = || [tool("get_weather", Value::Null)];
    vec![
        Failure {
            name: "unknown component",
            request: ConversationRequestAlpha2 { name: "nope".to_owned(), ..prompt("x", []) },
            message: "failed finding conversation component nope".to_owned(),
            error_code: "ERR_CONVERSATION_NOT_FOUND",
        },
        failure(
            "no inputs",
            ConversationRequestAlpha2 { inputs: vec![], ..prompt("x", []) },
            "missing inputs in request",
            "ERR_CONVERSATION_MISSING_INPUTS",
        ),
        failure(
            "message without a type",
            request([ConversationMessage { message_types: None }]),
            "invalid params: message type cannot be nil",
            PARMS,
        ),
        failure(
            "tool call without a function",
            request([assistant("x"), assistant_with_calls("y", [no_function])]),
            "invalid params: tool types cannot be nil",
            PARMS,
        ),
        failure(
            "`required` without tools",
            choose("required", prompt("x", [])),
            needs_tools,
            PARMS,
        ),
        failure(
            "choice of an unknown tool",
            choose("get_time", prompt("x", weather())),
            &not_found,
            PARMS,
        ),
        failure(
            "choice with other case",
            choose("Get_Weather", prompt("x", weather())),
            &not_found,
            PARMS,
        ),
        failure("`any`", choose("any", prompt("x", weather())), &not_found, PARMS),
    ]
}

#[tokio::test]
async fn alpha2_errors_match_daprd_over_grpc() {
    let sidecar = Sidecar::start();
    for Failure { name, request, message, .. } in alpha2_errors() {
        let unary = sidecar.converse(request.clone()).await.expect_err(name);
        let streamed = stream(&sidecar, request).await.expect_err(name);
        for status in [unary, streamed] {
            assert_eq!(status.code(), Code::InvalidArgument, "{name}");
            assert_eq!(status.message(), message, "{name}");
            assert!(status.details().is_empty(), "{name}: daprd sends no details");
        }
    }
}

#[tokio::test]
async fn alpha2_errors_match_daprd_over_http() {
    let sidecar = Sidecar::start();
    for Failure { name, request, message, error_code } in alpha2_errors() {
        let path = format!("/v1.0-alpha2/conversation/{}/converse", request.name);
        let body = json::write(&request).unwrap();
        let unary = sidecar.post(&path, body.clone()).await;
        // Before the first chunk, an error is a plain JSON response.
        let streamed = sidecar.post_for_events(&path, body).await;
        for reply in [unary, streamed] {
            assert_eq!(reply.status, 400, "{name}");
            assert_eq!(reply.content_type, "application/json", "{name}");
            let expected = serde_json::json!({"errorCode": error_code, "message": message});
            assert_eq!(reply.json(), expected, "{name}");
            assert!(!reply.body.ends_with('\n'), "{name}");
        }
    }
}

#[tokio::test]
async fn checks_requests_in_the_order_of_daprd() {
    let sidecar = Sidecar::start();
    let untyped = ConversationMessage { message_types: None };
    let mut invalid = choose("required", request([untyped]));
    let message = async |request: &ConversationRequestAlpha2| {
        sidecar.converse(request.clone()).await.unwrap_err().message().to_owned()
    };
    invalid.name = "nope".to_owned();
    assert!(message(&invalid).await.starts_with("failed finding"));
    invalid.name = "echo".to_owned();
    assert!(message(&invalid).await.contains("message type cannot be nil"));
    invalid.inputs[0].messages = vec![user("x")];
    assert!(message(&invalid).await.contains("tool choice must be"));
    invalid.inputs.clear();
    assert!(message(&invalid).await.contains("missing inputs"));
}

#[tokio::test]
async fn accepts_what_daprd_accepts() {
    let sidecar = Sidecar::start();
    let no_messages = ConversationInputAlpha2 { messages: vec![], scrub_pii: None };
    let no_function = ConversationTools { tool_types: None };
    let weather = || [tool("get_weather", Value::Null)];
    let accepted = [
        (
            "an input without messages",
            ConversationRequestAlpha2 { inputs: vec![no_messages], ..request([]) },
        ),
        ("an unknown choice without tools", choose("any", prompt("x", []))),
        ("`none` without tools", choose("none", prompt("x", []))),
        (
            "`required` with a tool without a function",
            choose("required", prompt("x", [no_function])),
        ),
        ("an empty choice", choose("", prompt("x", weather()))),
        ("`auto`", choose("auto", prompt("x", weather()))),
    ];
    for (name, request) in accepted {
        let answer = sidecar.converse(request).await.expect(name);
        assert_eq!(answer.finish_reason, "stop", "{name}");
    }
}

fn alpha1(metadata: &[(&str, &str)]) -> ConversationRequest {
    let inputs = vec![mynah::internals::wire::proto::ConversationInput {
        content: "x".to_owned(),
        ..Default::default()
    }];
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let metadata = metadata.iter().map(pair).collect();
    ConversationRequest { name: "echo".to_owned(), inputs, metadata, ..Default::default() }
}

#[tokio::test]
async fn alpha1_errors_match_daprd() {
    let sidecar = Sidecar::start();
    let not_a_float = "1 error(s) decoding:\n\n* cannot parse 'Temperature' as float: strconv.ParseFloat: parsing \"abc\": invalid syntax";
    let duplicate = "failed to resolve aliases: key k is duplicate in the metadata";
    let missing = "failed conversing with component echo: missing inputs in request";
    let not_found = "failed finding conversation component nope";
    let unknown = ConversationRequest { name: "nope".to_owned(), ..alpha1(&[]) };
    let no_inputs = ConversationRequest { inputs: vec![], ..alpha1(&[]) };
    let metadata_first =
        ConversationRequest { inputs: vec![], ..alpha1(&[("temperature", "abc")]) };
    let cases = [
        (unknown, Code::InvalidArgument, not_found, 400, "ERR_CONVERSATION_NOT_FOUND"),
        (no_inputs, Code::InvalidArgument, missing, 400, "ERR_CONVERSATION_MISSING_INPUTS"),
        (metadata_first, Code::Unknown, not_a_float, 500, "ERROR"),
        (alpha1(&[("Temperature", "abc")]), Code::Unknown, not_a_float, 500, "ERROR"),
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
async fn unserved_method_lists_the_served_ones() {
    let sidecar = Sidecar::start();
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", sidecar.grpc));
    let channel = channel.unwrap().connect().await.unwrap();
    for path in ["/dapr.proto.runtime.v1.Dapr/GetState", "/TaskHubSidecarService/Hello"] {
        let status = unary(channel.clone(), path).await;
        assert_eq!(status.code(), Code::Unimplemented, "{path}");
        assert_eq!(status.message(), NOT_SERVED, "{path}");
    }
}

/// Calls the method at this path with an empty message.
async fn unary(channel: tonic::transport::Channel, path: &'static str) -> Status {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<(), ()>::default();
    let path = http::uri::PathAndQuery::from_static(path);
    client.unary(tonic::Request::new(()), path, codec).await.unwrap_err()
}
