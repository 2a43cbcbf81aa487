//! Sends mutated requests to a sidecar over its sockets. Each must get an answer or an error that
//! names its cause.

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::HeaderMap;
use http_body_util::BodyExt;
use mynah::internals::wire::proto::ConversationResponseAlpha2;
use prost::Message;
use reqwest::Client;
use tonic::Code;

use super::{corpus, executions, mutator::Mutator};
use crate::support::{Sidecar, http::direct_builder, process::with_timeout};

/// Number of requests in flight.
const CONCURRENCY: usize = 16;

const GRPC_PATH: &str = "/dapr.proto.runtime.v1.Dapr/ConverseAlpha2";
const HTTP_PATH: &str = "/v1.0-alpha2/conversation/echo/converse";

/// Sends mutations of a corpus, and checks each response. At least a twentieth must be accepted.
async fn send_all(target: &str, send: impl AsyncFn(Vec<u8>) -> bool) {
    let corpus = corpus(target);
    let mut mutator = Mutator::new(&corpus);
    let mutations = (0..executions()).map(|_| mutator.next());
    let accepted = stream::iter(mutations)
        .map(|input| send(input))
        .buffer_unordered(CONCURRENCY)
        .filter(|accepted| std::future::ready(*accepted))
        .count()
        .await;
    assert!(accepted > executions() / 20, "only {accepted} requests were accepted");
}

/// Returns the status of a gRPC response, from its headers or its trailers.
fn status(headers: &HeaderMap) -> Option<(Code, String)> {
    let code = headers.get("grpc-status")?.to_str().unwrap();
    let message = headers.get("grpc-message").map(|text| text.to_str().unwrap().to_owned());
    Some((Code::from_bytes(code.as_bytes()), message.unwrap_or_default()))
}

/// Sends a message over gRPC. Returns `true` if the answer is a response.
async fn call(client: &Client, sidecar: &Sidecar, message: Vec<u8>) -> bool {
    let len = u32::try_from(message.len()).unwrap().to_be_bytes();
    let body = [&[0], &len[..], &message].concat();
    let request = client
        .post(format!("http://{}{GRPC_PATH}", sidecar.grpc))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(body);
    let response: http::Response<reqwest::Body> =
        with_timeout(request.send()).await.unwrap().into();
    let (head, body) = response.into_parts();
    assert_eq!(head.status, 200);
    let body = with_timeout(body.collect()).await.unwrap();
    let of_trailers = body.trailers().and_then(status);
    let (code, text) = of_trailers.or_else(|| status(&head.headers)).expect("a gRPC status");
    if code == Code::Ok {
        let frame: Bytes = body.to_bytes();
        ConversationResponseAlpha2::decode(frame.slice(5..)).unwrap();
        return true;
    }
    assert!(!text.is_empty(), "{code:?}");
    assert!(![Code::Unknown, Code::DataLoss, Code::Unavailable].contains(&code), "{text}");
    assert!(!text.contains("panicked"), "{text}: {}", message.escape_ascii());
    false
}

/// Sends a body over HTTP. Returns `true` if the answer is a response.
async fn post(client: &Client, sidecar: &Sidecar, body: Vec<u8>) -> bool {
    let request = client.post(sidecar.url(HTTP_PATH)).body(body.clone());
    let response = with_timeout(request.send()).await.unwrap();
    let status = response.status();
    let text = with_timeout(response.text()).await.unwrap();
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    if status == 200 {
        assert!(answer["outputs"].is_array() || answer == serde_json::json!({}), "{text}");
        return true;
    }
    assert!(answer["errorCode"].is_string(), "{text}");
    assert!(!text.contains("panicked"), "{text}: {}", body.escape_ascii());
    false
}

#[tokio::test]
async fn protobuf_over_grpc() {
    let sidecar = Sidecar::start();
    let client = direct_builder().http2_prior_knowledge().build().unwrap();
    send_all("protobuf", async |message| call(&client, &sidecar, message).await).await;
}

#[tokio::test]
async fn json_over_http() {
    let sidecar = Sidecar::start();
    let client = direct_builder().build().unwrap();
    send_all("json", async |body| post(&client, &sidecar, body).await).await;
}
