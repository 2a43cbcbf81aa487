//! Tests of invalid gRPC messages and frames.

use bytes::Bytes;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use prost::Message;
use tonic::{Code, Status};

use super::survives;
use crate::support::{Sidecar, http::direct_builder, messages::prompt};

/// Makes a call with these bytes as the body.
async fn call(sidecar: &Sidecar, body: Vec<u8>) -> Status {
    let client = direct_builder().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/dapr.proto.runtime.v1.Dapr/ConverseAlpha2", sidecar.grpc);
    let request =
        client.post(url).header("content-type", "application/grpc").header("te", "trailers");
    let response = request.body(Bytes::from(body)).send().await.unwrap();
    Status::from_header_map(response.headers()).unwrap()
}

/// Encodes a gRPC frame.
fn frame(message: &[u8]) -> Vec<u8> {
    let len = u32::try_from(message.len()).unwrap();
    [&[0], len.to_be_bytes().as_slice(), message].concat()
}

/// Encodes a length-delimited field.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    prost::encoding::encode_varint(bytes.len() as u64, &mut field);
    field.extend(bytes);
    field
}

/// Encodes a request whose `response_format` has nested structs.
fn nested(depth: usize) -> Vec<u8> {
    let structs = (0..depth).fold(Vec::new(), |inner, _| {
        let value = field(5, &inner);
        field(1, &[field(1, b"a"), field(2, &value)].concat())
    });
    field(10, &structs)
}

#[tokio::test]
async fn rejects_invalid_messages() {
    let sidecar = Sidecar::start();
    let cases = [
        ("an unterminated key", b"\xff\xff\xff".to_vec()),
        ("a truncated field", b"\x0a\x05ab".to_vec()),
        ("a length of 2^64 - 1", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01".to_vec()),
        ("invalid UTF-8", b"\x0a\x02\xff\xfe".to_vec()),
        (
            "invalid UTF-8 in a content",
            field(3, &field(1, &field(3, &field(2, &field(1, b"\xc3\x28"))))),
        ),
        ("field 0", b"\x02\x00".to_vec()),
        ("an unterminated group", b"\x0b".to_vec()),
        ("deeply nested groups", vec![0x0b; 10_000]),
        ("a wrong wire type", b"\x08\x01".to_vec()),
    ];
    for (what, message) in cases {
        let status = survives(&sidecar, call(&sidecar, frame(&message))).await;
        assert_eq!(status.code(), Code::Internal, "{what}: {}", status.message());
        let message = status.message();
        assert!(message.starts_with("grpc: error unmarshalling request: "), "{what}: {message}");
        assert!(message.len() < 120, "{what}: {message}");
    }
}

/// Structs are decoded only when they are read.
#[tokio::test]
async fn ignores_deeply_nested_structs() {
    let sidecar = Sidecar::start();
    let message = [prompt("Hello!", []).encode_to_vec(), nested(10_000)].concat();
    let request = ConversationRequestAlpha2::decode(message.as_slice()).unwrap();
    assert!(survives(&sidecar, sidecar.converse(request)).await.is_ok());
}

#[tokio::test]
async fn rejects_invalid_frames() {
    let sidecar = Sidecar::start();
    let message = prompt("Hello!", []).encode_to_vec();
    let whole = frame(&message);
    let with = |at: usize, byte: u8| {
        let mut frame = whole.clone();
        frame[at] = byte;
        frame
    };
    let cases = [
        ("no frame", vec![], Code::Internal),
        ("half a frame header", whole[..3].to_vec(), Code::Internal),
        ("half a message", whole[..20].to_vec(), Code::Internal),
        ("one and a half frames", [&whole[..], &whole[..9]].concat(), Code::Internal),
        ("a length of 4 GiB", with(1, 0xff), Code::ResourceExhausted),
        ("compressed without an encoding", with(0, 1), Code::Internal),
        ("an unknown flag", with(0, 7), Code::Internal),
    ];
    for (what, body, code) in cases {
        let status = survives(&sidecar, call(&sidecar, body)).await;
        assert_eq!(status.code(), code, "{what}: {}", status.message());
        assert!(status.message().len() < 200, "{what}: {}", status.message());
    }
}

/// Each message has 1 MiB of minimal elements of one kind.
#[tokio::test]
async fn memory_of_a_message_is_proportional_and_released() {
    let sidecar = Sidecar::start();
    let many = |number: u8| [number << 3 | 2, 0].repeat(512 * 1024);
    let name = field(1, b"echo");
    let input = field(3, &[]);
    let cases = [
        ("inputs", many(3)),
        ("tools", [input.clone(), many(8)].concat()),
        ("metadata", [input.clone(), many(5)].concat()),
        ("messages", field(3, &many(1))),
        (
            "values",
            [
                input,
                field(10, &field(1, &[field(1, b"a"), field(2, &field(6, &many(1)))].concat())),
            ]
            .concat(),
        ),
    ];
    for (what, rest) in cases {
        let message = [&name[..], &rest].concat();
        let code = survives(&sidecar, status_code(&sidecar, frame(&message))).await;
        let expected = if what == "messages" { "3" } else { "0" };
        assert_eq!(code, expected, "{what}");
        let peak = super::peak(&sidecar);
        assert!(peak < 256 * 1024, "{what}: {peak} KiB");
    }
}

/// Returns the status code of a call, from the headers or the trailers.
async fn status_code(sidecar: &Sidecar, body: Vec<u8>) -> String {
    use http_body_util::BodyExt;
    let client = direct_builder().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/dapr.proto.runtime.v1.Dapr/ConverseAlpha2", sidecar.grpc);
    let request = client.post(url).header("content-type", "application/grpc").body(body);
    let response = request.send().await.unwrap();
    let code = |headers: &reqwest::header::HeaderMap| {
        headers.get("grpc-status").map(|code| code.to_str().unwrap().to_owned())
    };
    if let Some(code) = code(response.headers()) {
        return code;
    }
    let body: reqwest::Body = response.into();
    let body = body.collect().await.unwrap();
    body.trailers().and_then(code).unwrap()
}
