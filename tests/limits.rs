//! Tests of limits on size and nesting. `robustness/` tests malformed and excessive requests.

use mynah::internals::wire::proto::{ConversationRequestAlpha2, SetMetadataRequest};
use prost::Message;
use prost_types::{Struct, Value, value::Kind};
use serde_json::json;
use tonic::Code;

use crate::support::{
    Sidecar,
    messages::{encoded, encoded_schema, prompt, tool},
    stream,
};

const LIMIT: usize = 4 * 1024 * 1024;
const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

/// Returns a request whose message has exactly `size` bytes.
fn request_of(size: usize) -> ConversationRequestAlpha2 {
    let mut text = size - 64;
    loop {
        let request = prompt(&"x".repeat(text), []);
        match request.encoded_len() {
            len if len == size => return request,
            len => text += size - len,
        }
    }
}

#[tokio::test]
async fn limits_grpc_messages_to_four_mebibytes() {
    let sidecar = Sidecar::start();
    let largest = request_of(LIMIT);
    // The answer also has a model and usage, so it exceeds the limit.
    let status = sidecar.converse(largest).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    let size = LIMIT - 64..LIMIT + 64;
    let got = number_before(status.message(), " vs. 4194304)");
    assert!(size.contains(&got), "{}", status.message());
    assert!(status.message().starts_with("grpc: trying to send message larger than max ("));

    let status = sidecar.converse(request_of(LIMIT + 1)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    let message = "grpc: received message larger than max (4194305 vs. 4194304)";
    assert_eq!(status.message(), message);
    let status = stream(&sidecar, request_of(LIMIT + 1)).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::ResourceExhausted, message));

    let answer = sidecar.converse(request_of(LIMIT - 64)).await.unwrap();
    assert!(answer.content.len() > LIMIT - 200);
}

fn number_before(text: &str, end: &str) -> usize {
    let before = text.strip_suffix(end).unwrap();
    before.rsplit('(').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn limits_http_bodies_to_four_mebibytes() {
    let sidecar = Sidecar::start();
    let body = |size: usize| {
        let template = json!({"inputs": [{"messages": [{"ofUser": {"content": [{"text": ""}]}}]}]});
        let template = template.to_string();
        template.replace("\"\"", &format!("\"{}\"", "x".repeat(size - template.len())))
    };
    assert_eq!(body(LIMIT).len(), LIMIT);
    assert_eq!(sidecar.post(ALPHA2, body(LIMIT)).await.status, 200);
    let expected = json!({"errorCode": "ERR_BODY_READ", "message": "failed to read request body: stream too large"});
    for size in [LIMIT + 1, LIMIT + 1024 * 1024] {
        let reply = sidecar.post(ALPHA2, body(size)).await;
        assert_eq!((reply.status, reply.json()), (400, expected.clone()));
    }
}

#[tokio::test]
async fn max_body_size_sets_both_limits() {
    let sidecar = Sidecar::start_with(&["--max-body-size", "1Ki"]);
    assert_eq!(sidecar.converse(prompt("small", [])).await.unwrap().content, "small");
    let status = sidecar.converse(request_of(1025)).await.unwrap_err();
    assert_eq!(status.message(), "grpc: received message larger than max (1025 vs. 1024)");
    assert_eq!(sidecar.post(ALPHA2, "x".repeat(1025)).await.json()["errorCode"], "ERR_BODY_READ");
}

/// Returns a struct with `depth` nested structs.
fn nested(depth: usize) -> Struct {
    let mut inner = Struct::default();
    for _ in 0..depth {
        let value = Value { kind: Some(Kind::StructValue(inner)) };
        inner = Struct { fields: [("a".to_owned(), value)].into() };
    }
    inner
}

#[tokio::test]
async fn limits_the_nesting_of_requests() {
    let sidecar = Sidecar::start();
    let with = |depth| {
        let mut request = prompt("x", []);
        request.response_format = Some(encoded(&nested(depth)));
        request
    };
    assert!(sidecar.converse(with(20)).await.is_ok());
    // A schema over gRPC is ignored, because it is read only after the request has been accepted.
    assert!(sidecar.converse(with(200)).await.is_ok());
    let body = |depth: usize| {
        let (open, close) = ("{\"a\":".repeat(depth), "}".repeat(depth));
        format!(r#"{{"inputs": [{{}}], "responseFormat": {{"a": {open}1{close}}}}}"#)
    };
    for depth in [20, 60] {
        assert_eq!(sidecar.post(ALPHA2, body(depth)).await.status, 200);
    }
    let reply = sidecar.post(ALPHA2, body(200)).await;
    assert_eq!(reply.json()["errorCode"], "ERR_MALFORMED_REQUEST");
    assert!(reply.body.contains("message is nested too deeply"), "{}", reply.body);
    assert!(!reply.body.contains("decode"), "{}", reply.body);
}

#[tokio::test]
async fn limits_the_labels() {
    let sidecar = Sidecar::start();
    let mut client = sidecar.client().await;
    let mut set = async |key: String, value: String| {
        client.set_metadata(SetMetadataRequest { key, value }).await.map(|_| ())
    };
    for number in 0..1000 {
        set(format!("k{number}"), "v".to_owned()).await.unwrap();
    }
    // An existing label can still be changed.
    set("k7".to_owned(), "other".to_owned()).await.unwrap();
    let status = set("one more".to_owned(), "v".to_owned()).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    let message = "metadata is full: it holds at most 1000 keys and 65536 bytes";
    assert_eq!(status.message(), message);
    let status = set("k7".to_owned(), "x".repeat(64 * 1024)).await.unwrap_err();
    assert_eq!(status.message(), message);
}

/// The arguments of all calls would be 150 MB long. Echo generates only 4 MiB of them, so the answer
/// is just over the size limit.
#[tokio::test]
async fn limits_the_arguments_of_thousands_of_calls() {
    let sidecar = Sidecar::start();
    let few = sidecar.converse(large_calls(60)).await.unwrap();
    let lengths = few.calls.iter().map(|call| call.arguments["a"].as_str().unwrap().len());
    assert_eq!(lengths.collect::<Vec<_>>(), [30_000; 60]);

    let status = sidecar.converse(large_calls(5_000)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    let size = number_before(status.message(), " vs. 4194304)");
    assert!((LIMIT + 1..LIMIT + LIMIT / 10).contains(&size), "{}", status.message());
}

/// Returns a request that mentions `count` tools, each with long arguments.
fn large_calls(count: usize) -> ConversationRequestAlpha2 {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 30_000}},
        "required": ["a"]});
    let names: Vec<_> = (0..count).map(|number| format!("tool{number}")).collect();
    let tools: Vec<_> = names.iter().map(|name| tool(name, schema.clone())).collect();
    let sentences: Vec<_> = names.iter().map(|name| format!("Call {name}.")).collect();
    prompt(&sentences.join(" "), tools)
}

/// Compiling so many patterns would take minutes, so echo generates the answer without validating
/// the text.
#[tokio::test]
async fn answers_requests_with_formats_too_large_to_check() {
    let sidecar = Sidecar::start();
    let property = |number: usize| {
        let pattern = format!("^[a-z]{{3}}{number}(\\w{{1,50}}){{1,9}}$");
        (format!("p{number}"), json!({"type": "string", "pattern": pattern}))
    };
    let format =
        |count: usize| json!({"properties": serde_json::Map::from_iter((0..count).map(property))});
    for (count, is_checked) in [(10, true), (10_000, false)] {
        let mut request = prompt("{}", []);
        request.response_format = Some(encoded_schema(&format(count)));
        let answer = sidecar.converse(request).await.unwrap();
        assert_eq!(answer.content == "{}", is_checked, "{count} patterns");
    }
}
