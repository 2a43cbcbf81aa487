//! gRPC messages and the frames around them.

use bytes::Bytes;
use prost::Message;
use tonic::{Code, Status};

use super::survives;
use crate::support::{Sidecar, messages::prompt};

/// Sends bytes as the body of a call.
async fn call(sidecar: &Sidecar, body: Vec<u8>) -> Status {
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/dapr.proto.runtime.v1.Dapr/ConverseAlpha2", sidecar.grpc);
    let request =
        client.post(url).header("content-type", "application/grpc").header("te", "trailers");
    let response = request.body(Bytes::from(body)).send().await.unwrap();
    Status::from_header_map(response.headers()).unwrap()
}

/// A message in its frame.
fn frame(message: &[u8]) -> Vec<u8> {
    let len = u32::try_from(message.len()).unwrap();
    [&[0], len.to_be_bytes().as_slice(), message].concat()
}

/// A field that holds bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    prost::encoding::encode_varint(bytes.len() as u64, &mut field);
    field.extend(bytes);
    field
}

/// The `response_format` of a request, so many structs deep.
fn nested(depth: usize) -> Vec<u8> {
    let structs = (0..depth).fold(Vec::new(), |inner, _| {
        let value = field(5, &inner);
        field(1, &[field(1, b"a"), field(2, &value)].concat())
    });
    field(10, &structs)
}

#[tokio::test]
async fn broken_messages_are_refused() {
    let sidecar = Sidecar::start();
    let cases = [
        ("a key without end", b"\xff\xff\xff".to_vec()),
        ("a field that is cut", b"\x0a\x05ab".to_vec()),
        ("a length beyond all", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01".to_vec()),
        ("no UTF-8", b"\x0a\x02\xff\xfe".to_vec()),
        ("no UTF-8 in a text", field(3, &field(1, &field(3, &field(2, &field(1, b"\xc3\x28")))))),
        ("field 0", b"\x02\x00".to_vec()),
        ("a group without end", b"\x0b".to_vec()),
        ("groups, deep", vec![0x0b; 10_000]),
        ("structs, deep", nested(10_000)),
        ("another wire type", b"\x08\x01".to_vec()),
    ];
    for (what, message) in cases {
        let status = survives(&sidecar, call(&sidecar, frame(&message))).await;
        assert_eq!(status.code(), Code::Internal, "{what}: {}", status.message());
        let message = status.message();
        assert!(message.starts_with("grpc: error unmarshalling request: "), "{what}: {message}");
        assert!(message.len() < 120, "{what}: {message}");
    }
}

#[tokio::test]
async fn broken_frames_are_refused() {
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
        ("half a head", whole[..3].to_vec(), Code::Internal),
        ("half a message", whole[..20].to_vec(), Code::Internal),
        ("a frame and a half", [&whole[..], &whole[..9]].concat(), Code::Internal),
        ("4 GiB announced", with(1, 0xff), Code::ResourceExhausted),
        ("compressed with nothing", with(0, 1), Code::Internal),
        ("a flag that is none", with(0, 7), Code::Internal),
    ];
    for (what, body, code) in cases {
        let status = survives(&sidecar, call(&sidecar, body)).await;
        assert_eq!(status.code(), code, "{what}: {}", status.message());
        assert!(status.message().len() < 200, "{what}: {}", status.message());
    }
}

/// In the fewest bytes, the most of what a request may have: a MiB of each.
#[tokio::test]
async fn a_message_takes_memory_in_proportion_and_gives_it_back() {
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
        let answer = survives(&sidecar, call_whole(&sidecar, frame(&message))).await;
        let expected = if what == "messages" { "3" } else { "0" };
        assert_eq!(answer, expected, "{what}");
        let peak = super::peak(&sidecar);
        assert!(peak < 256 * 1024, "{what}: {peak} KiB");
    }
}

/// The code that a call ends with, be it in headers or trailers.
async fn call_whole(sidecar: &Sidecar, body: Vec<u8>) -> String {
    use http_body_util::BodyExt;
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
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
    let whole = body.collect().await.unwrap();
    whole.trailers().and_then(code).unwrap()
}
