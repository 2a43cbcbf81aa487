//! gRPC messages that decode, and lack what they should have, or have as much as they may.

use std::collections::BTreeMap;

use mynah::wire::proto::{
    ConversationInput, ConversationMessage, ConversationRequest, ConversationRequestAlpha2,
    ConversationToolCalls, ConversationTools,
};
use prost::Message;
use prost_types::{Any, Struct, Value};
use tonic::Code;

use super::survives;
use crate::support::{
    Sidecar,
    messages::{assistant_with_calls, prompt, request, tool, user},
};

const MIB: usize = 1024 * 1024;

/// A request of exactly so many bytes, some millions, that asks little.
fn of_size(size: usize) -> ConversationRequestAlpha2 {
    let with = |filler: usize| ConversationRequestAlpha2 {
        metadata: [("filler".to_owned(), "x".repeat(filler))].into(),
        ..prompt("hello", [])
    };
    let around = with(size).encoded_len() - size;
    with(size - around)
}

#[tokio::test]
async fn four_mebibytes_are_answered_and_more_are_not() {
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
async fn unset_oneofs_are_refused_or_nothing() {
    let sidecar = Sidecar::start();
    let cases = [
        (request([ConversationMessage::default()]), "message type cannot be nil"),
        (
            request([assistant_with_calls("", [ConversationToolCalls::default()])]),
            "tool types cannot be nil",
        ),
    ];
    for (asked, reason) in cases {
        let status = survives(&sidecar, sidecar.converse(asked)).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
        assert!(status.message().ends_with(reason), "{status:?}");
    }
    let schema = Struct { fields: [("type".to_owned(), Value::default())].into() };
    let mut asked = prompt("hello", [ConversationTools::default()]);
    asked.response_format = Some(schema);
    assert!(survives(&sidecar, sidecar.converse(asked)).await.is_ok());
}

/// As many as there is room for, with a name for each and nothing else.
#[tokio::test]
async fn parameters_without_a_type_keep_nothing() {
    let sidecar = Sidecar::start();
    let parameters: BTreeMap<_, _> =
        (0..100_000).map(|number| (format!("p{number}"), Any::default())).collect();
    let mut asked = prompt("hello", []);
    asked.parameters.clone_from(&parameters);
    let answer = survives(&sidecar, sidecar.converse(asked)).await.unwrap();
    assert_eq!(answer.content, "hello");
    let asked = ConversationRequest {
        name: "echo".to_owned(),
        inputs: vec![ConversationInput { content: "hello".to_owned(), ..Default::default() }],
        parameters: parameters.clone(),
        ..Default::default()
    };
    let ask = async { sidecar.client().await.converse_alpha1(asked).await };
    let answer = survives(&sidecar, ask).await.unwrap().into_inner();
    assert_eq!(answer.outputs[0].parameters, parameters);
}

#[tokio::test]
async fn tools_without_a_name_are_never_called() {
    let sidecar = Sidecar::start();
    let tools: Vec<_> = (0..10_000).map(|_| tool("", serde_json::json!({}))).collect();
    let asked = ConversationRequestAlpha2 { tools, ..request([user("call a tool")]) };
    let answer = survives(&sidecar, sidecar.converse(asked)).await.unwrap();
    assert_eq!(answer.finish_reason, "stop");
}
