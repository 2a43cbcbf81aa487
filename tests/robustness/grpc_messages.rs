//! Tests of valid gRPC messages that lack parts or have the largest size.

use std::collections::BTreeMap;

use bytes::Bytes;
use mynah::internals::wire::proto::{
    ConversationInput, ConversationMessage, ConversationRequest, ConversationRequestAlpha2,
    ConversationToolCalls, ConversationTools, conversation_tools::ToolTypes,
};
use prost::Message;
use prost_types::{Any, Struct, Value};
use serde_json::json;
use tonic::Code;

use super::survives;
use crate::support::{
    Sidecar,
    messages::{assistant_with_calls, encoded, prompt, request, tool, user},
};

const MIB: usize = 1024 * 1024;

/// Returns a request of exactly `size` bytes, most of which are metadata.
fn of_size(size: usize) -> ConversationRequestAlpha2 {
    let with = |filler: usize| ConversationRequestAlpha2 {
        metadata: [("filler".to_owned(), "x".repeat(filler))].into(),
        ..prompt("hello", [])
    };
    let overhead = with(size).encoded_len() - size;
    with(size - overhead)
}

#[tokio::test]
async fn accepts_four_mebibytes_and_no_more() {
    let sidecar = Sidecar::start();
    let (largest, limit) = (of_size(4 * MIB), 4 * MIB);
    assert_eq!(largest.encoded_len(), limit);
    let answer = survives(&sidecar, sidecar.converse(largest)).await.unwrap();
    assert_eq!(answer.content, "hello");
    for size in [limit + 1, 5 * MIB] {
        let status = survives(&sidecar, sidecar.converse(of_size(size))).await.unwrap_err();
        assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
        let message = format!("grpc: received message larger than max ({size} vs. {limit})");
        assert_eq!(status.message(), message);
    }
}

#[tokio::test]
async fn rejects_or_ignores_unset_oneofs() {
    let sidecar = Sidecar::start();
    let cases = [
        (request([ConversationMessage::default()]), "message type cannot be nil"),
        (
            request([assistant_with_calls("", [ConversationToolCalls::default()])]),
            "tool types cannot be nil",
        ),
    ];
    for (request, reason) in cases {
        let status = survives(&sidecar, sidecar.converse(request)).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
        assert!(status.message().ends_with(reason), "{status:?}");
    }
    let schema = Struct { fields: [("type".to_owned(), Value::default())].into() };
    let mut request = prompt("hello", [ConversationTools::default()]);
    request.response_format = Some(encoded(&schema));
    assert!(survives(&sidecar, sidecar.converse(request)).await.is_ok());
}

/// Sends the largest number of parameters that fits into a request.
#[tokio::test]
async fn accepts_many_parameters_without_a_type() {
    let sidecar = Sidecar::start();
    let parameters: BTreeMap<_, _> =
        (0..100_000).map(|number| (format!("p{number}"), Any::default())).collect();
    let mut request = prompt("hello", []);
    request.parameters.clone_from(&parameters);
    let answer = survives(&sidecar, sidecar.converse(request)).await.unwrap();
    assert_eq!(answer.content, "hello");
    let request = ConversationRequest {
        name: "echo".to_owned(),
        inputs: vec![ConversationInput { content: "hello".to_owned(), ..Default::default() }],
        parameters: parameters.clone(),
        ..Default::default()
    };
    let ask = async { sidecar.client().await.converse_alpha1(request).await };
    let answer = survives(&sidecar, ask).await.unwrap().into_inner();
    assert_eq!(answer.outputs[0].parameters, parameters);
}

#[tokio::test]
async fn never_calls_tools_without_a_name() {
    let sidecar = Sidecar::start();
    let tools: Vec<_> = (0..10_000).map(|_| tool("", json!({}))).collect();
    let request = ConversationRequestAlpha2 { tools, ..request([user("call a tool")]) };
    let answer = survives(&sidecar, sidecar.converse(request)).await.unwrap();
    assert_eq!(answer.finish_reason, "stop");
}

/// Returns a request that calls the tool `test`, whose schema has this encoding.
fn with_schema(encoding: &'static [u8]) -> ConversationRequestAlpha2 {
    let mut request =
        prompt("call the test tool", [tool("test", json!({})), tool("other", json!({}))]);
    for tool in &mut request.tools {
        if let Some(ToolTypes::Function(function)) = &mut tool.tool_types {
            function.parameters = Some(Bytes::from_static(encoding));
        }
    }
    request.response_format = Some(Bytes::from_static(encoding));
    request
}

#[tokio::test]
async fn ignores_malformed_schemas() {
    let sidecar = Sidecar::start();
    let not_utf8 = &[10, 7, 10, 1, 0xff, 18, 2, 8, 0];
    for encoding in [&b"\xff"[..], b"{\"type\": \"object\"}", &[10, 100], not_utf8] {
        let request = with_schema(encoding);
        let answer = survives(&sidecar, sidecar.converse(request.clone())).await.unwrap();
        assert_eq!(answer.called_tools(), ["test"]);
        assert_eq!(answer.calls[0].arguments, json!({}));
        let request = ConversationRequestAlpha2 { tools: Vec::new(), ..request };
        assert!(survives(&sidecar, sidecar.converse(request)).await.is_ok());
    }
}
