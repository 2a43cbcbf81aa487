//! Requests to the gRPC port that are not gRPC calls.

use reqwest::Method;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::Status;

use super::{in_front_of, stub::Stub};
use crate::support::{Sidecar, http::direct_builder, process::with_timeout};

const CONVERSE: &str = "/dapr.proto.runtime.v1.Dapr/ConverseAlpha2";
/// daprd serves it, mynah does not.
const GET_STATE: &str = "/dapr.proto.runtime.v1.Dapr/GetState";

/// Sends a request to the gRPC port. Returns the HTTP status, and the code and text of gRPC.
async fn refusal(sidecar: &Sidecar, method: Method, path: &str, content_type: &str) -> String {
    let client = direct_builder().http2_prior_knowledge().build().unwrap();
    let request = client.request(method, format!("http://{}{path}", sidecar.grpc));
    let response = request.header("content-type", content_type).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/grpc");
    let status = Status::from_header_map(response.headers()).unwrap();
    format!("{} {:?}: {}", response.status().as_u16(), status.code(), status.message())
}

#[tokio::test]
async fn only_grpc_calls_are_accepted() {
    let stub = Stub::echo().await;
    for sidecar in [Sidecar::start(), in_front_of(&stub, &[])] {
        let mut refusals = Vec::new();
        for path in [CONVERSE, GET_STATE] {
            for content_type in
                ["application/grpc-web", "application/grpc-web-text", "application/json", ""]
            {
                refusals.push(refusal(&sidecar, Method::POST, path, content_type).await);
            }
            refusals.push(refusal(&sidecar, Method::GET, path, "application/grpc").await);
        }
        assert_eq!(refusals[..5], refusals[5..]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(refusals[..5].join("\n"), @r#"
            415 InvalidArgument: invalid gRPC request content-type "application/grpc-web"
            415 InvalidArgument: invalid gRPC request content-type "application/grpc-web-text"
            415 InvalidArgument: invalid gRPC request content-type "application/json"
            415 InvalidArgument: invalid gRPC request content-type ""
            405 Internal: Received a HEADERS frame with :method "GET" which should be POST
            "#);
        }
    }
}

#[tokio::test]
async fn every_encoding_of_messages_is_accepted() {
    let sidecar = Sidecar::start();
    let client = direct_builder().http2_prior_knowledge().build().unwrap();
    for content_type in
        ["application/grpc+proto", "application/grpc;charset=utf-8", "Application/gRPC"]
    {
        let request = client.post(format!("http://{}{CONVERSE}", sidecar.grpc));
        let response = request.header("content-type", content_type).send().await.unwrap();
        assert_eq!(response.status(), 200, "{content_type}");
    }
}

/// An upgrade to HTTP/2 begins with HTTP/1.1.
#[tokio::test]
async fn connections_of_http1_are_closed() {
    let stub = Stub::echo().await;
    for sidecar in [Sidecar::start(), in_front_of(&stub, &[])] {
        let mut stream = TcpStream::connect(sidecar.grpc).await.unwrap();
        let lines = "Connection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n";
        let request = format!("POST {CONVERSE} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // The rest of the request may reset the connection.
        let _ = with_timeout(stream.read_to_end(&mut answer)).await;
        assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    }
}
