//! Clients that hold a connection open without a call in flight. None may delay the exit.

use std::{io::Write, net::TcpStream};

use futures_util::stream;
use rustix::process::Signal;
use tokio::io::AsyncWriteExt;
use tonic::{Code, transport::Channel};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest,
};

use super::slow;
use crate::{
    robustness::http2::{Connection, DATA, END_HEADERS, END_STREAM, HEADERS, frame, headers_of},
    support::{
        Sidecar,
        messages::{request, user},
        process::with_timeout,
    },
};

/// Returns a sidecar whose grace period ends before it closes the connection of such a client anyway:
/// after 15 s without an answer to a PING, and 30 s for a body.
fn sidecar() -> Sidecar {
    slow("0s", "10")
}

/// Asserts that the sidecar exits before the end of its grace period, while the client still holds its
/// connection.
async fn assert_exits(mut sidecar: Sidecar) {
    assert_eq!(sidecar.wait().await.code(), Some(0));
    let log = sidecar.log();
    assert!(!log.contains("connections are still open"), "{log}");
}

async fn channel(sidecar: &Sidecar) -> Channel {
    Channel::from_shared(format!("http://{}", sidecar.grpc)).unwrap().connect().await.unwrap()
}

#[tokio::test]
async fn watched_health_ends_as_not_serving() {
    let sidecar = sidecar();
    let mut client = HealthClient::new(channel(&sidecar).await);
    let mut watched = Vec::new();
    for service in ["", "dapr.proto.runtime.v1.Dapr"] {
        let service = service.to_owned();
        let mut health = client.watch(HealthCheckRequest { service }).await.unwrap().into_inner();
        let first = with_timeout(health.message()).await.unwrap().unwrap();
        assert_eq!(first.status(), ServingStatus::Serving);
        watched.push(health);
    }
    sidecar.signal(Signal::TERM);
    for mut health in watched {
        let last = with_timeout(health.message()).await.unwrap().unwrap();
        assert_eq!(last.status(), ServingStatus::NotServing);
        assert_eq!(with_timeout(health.message()).await.unwrap(), None);
    }
    assert_exits(sidecar).await;
}

/// The health of an unknown service is not watched.
#[tokio::test]
async fn only_known_services_have_a_health() {
    let sidecar = sidecar();
    let mut client = HealthClient::new(channel(&sidecar).await);
    let unknown = HealthCheckRequest { service: "other".to_owned() };
    let status = client.check(unknown.clone()).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::NotFound, "service not registered"));
    assert_eq!(client.watch(unknown).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn idle_reflection_stream_ends() {
    let sidecar = sidecar();
    let mut client = ServerReflectionClient::new(channel(&sidecar).await);
    let list = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    // The request stream stays open.
    let requests = stream::select(stream::iter([list]), stream::pending());
    let mut answers = client.server_reflection_info(requests).await.unwrap().into_inner();
    assert!(with_timeout(answers.message()).await.unwrap().is_some());
    sidecar.signal(Signal::TERM);
    assert_eq!(with_timeout(answers.message()).await.unwrap(), None);
    assert_exits(sidecar).await;
}

#[tokio::test]
async fn half_a_body_does_not_delay_the_exit() {
    let sidecar = sidecar();
    let mut half = TcpStream::connect(sidecar.http).unwrap();
    half.write_all(
        b"POST /v1.0-alpha2/conversation/echo/converse HTTP/1.1\r\nHost: localhost\r\n\
          Content-Length: 100\r\n\r\n{",
    )
    .unwrap();
    let mut grpc = Connection::open(sidecar.grpc).await;
    // A message of 100 bytes, of which one is sent.
    let message = frame(DATA, 0, 1, &[0, 0, 0, 0, 100, 0]);
    let call = [frame(HEADERS, END_HEADERS, 1, &headers_of("ConverseAlpha2")), message].concat();
    grpc.sender.write_all(&call).await.unwrap();
    // Later calls are answered, so the earlier ones have arrived.
    sidecar.converse(request([user("hi")])).await.unwrap();
    assert_eq!(sidecar.get("/v1.0/healthz").await.status, 204);
    sidecar.signal(Signal::TERM);
    assert_exits(sidecar).await;
    drop((half, grpc));
}

/// The client neither answers the PING that follows the GOAWAY nor closes the connection.
#[tokio::test]
async fn unresponsive_client_does_not_delay_the_exit_after_a_call() {
    let sidecar = sidecar();
    let mut client = Connection::open(sidecar.grpc).await;
    let head = frame(HEADERS, END_HEADERS, 1, &headers_of("ConverseAlpha2"));
    let call = [head, frame(DATA, END_STREAM, 1, &[0; 5])].concat();
    client.sender.write_all(&call).await.unwrap();
    // The answer: an error, because the message names no component.
    while client.receiver.next().await.unwrap().kind != HEADERS {}
    sidecar.signal(Signal::TERM);
    assert_exits(sidecar).await;
}
