//! gRPC calls through mynah.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use futures_util::future::join_all;
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::{
    net::TcpStream,
    sync::{Barrier, mpsc},
};

use super::{
    in_front_of,
    stub::{Caller, Stub, channel, full, headers, next, status},
};
use crate::support::process::with_timeout;

const UNKNOWN: &str = "/some.unknown.v1.Service/Method";
const UNAVAILABLE: &str = "14";
/// The size of the largest message that daprd accepts by default, and some more.
const LARGE: usize = (4 << 20) + 4096;
const PARALLEL: usize = 1_000;

#[tokio::test]
async fn calls_arrive_and_return_unchanged() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    let sent = headers(&[
        ("grpc-timeout", "5S"),
        ("x-key-bin", "AAECAw"),
        ("x-text", "value"),
        ("dapr-api-token", "theirs"),
        ("user-agent", "test"),
    ]);
    let response = caller.call(UNKNOWN, sent.clone(), full("\0\0\0\0\x02hi")).await;
    let received = response.headers();
    assert_eq!(received["x-target"], UNKNOWN);
    assert_eq!(received["x-te"], "trailers");
    assert_eq!(received["content-type"], "application/grpc");
    for (name, value) in &sent {
        assert_eq!(received.get(name), Some(value), "{name}");
    }
    let body = with_timeout(response.into_body().collect()).await.unwrap();
    let trailers = body.trailers().unwrap();
    assert_eq!(trailers["grpc-status"], "0");
    assert_eq!(trailers["x-end-bin"], "AAEC");
    assert_eq!(body.to_bytes(), "\0\0\0\0\x02hi");
}

#[tokio::test]
async fn statuses_in_headers_are_passed_on() {
    let stub = Stub::start(async |_| {
        let mut response = Response::new(full(""));
        *response.headers_mut() =
            headers(&[("content-type", "application/grpc"), ("grpc-status", "7")]);
        response
    })
    .await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    assert_eq!(caller.status(UNKNOWN).await.0, "7");
}

/// A name that could stand for an order to mynah means nothing if daprd sends it.
#[tokio::test]
async fn no_header_or_trailer_of_daprd_breaks_a_call_off() {
    const END: [(&str, &str); 2] = [("grpc-status", "0"), ("mynah-ending", "reset")];
    let stub = Stub::start(async |_| {
        let body = full("\0\0\0\0\x02hi").with_trailers(ready(Some(Ok(headers(&END)))));
        let mut response = Response::new(body.boxed_unsync());
        *response.headers_mut() = headers(&[("mynah-ending", "break-off")]);
        response
    })
    .await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    for _ in 0..2 {
        let response = caller.call(UNKNOWN, HeaderMap::new(), full("")).await;
        assert_eq!(response.headers()["mynah-ending"], "break-off");
        let body = with_timeout(response.into_body().collect()).await.unwrap();
        assert_eq!(body.trailers(), Some(&headers(&END)));
        assert_eq!(body.to_bytes(), "\0\0\0\0\x02hi");
    }
}

#[tokio::test]
async fn messages_of_any_size_are_passed_on() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    let message: Bytes = (0..LARGE).map(|at| (at % 251) as u8).collect();
    let response = caller.call(UNKNOWN, HeaderMap::new(), full(message.clone())).await;
    let body = with_timeout(response.into_body().collect()).await.unwrap();
    assert!(body.to_bytes() == message, "the message has changed");
}

#[tokio::test]
async fn streams_flow_in_both_directions_until_half_closed() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    let (sender, body) = channel();
    let mut response = caller.call(UNKNOWN, HeaderMap::new(), body).await;
    for piece in ["one", "two", "three"] {
        sender.send(piece.into()).await.unwrap();
        assert_eq!(next(response.body_mut()).await.unwrap(), piece);
    }
    drop(sender);
    let end = with_timeout(response.into_body().collect()).await.unwrap();
    assert_eq!(end.trailers().unwrap()["grpc-status"], "0");
    assert_eq!(end.to_bytes(), "");
}

/// Answers with a stream that ends only when it is cancelled, and reports that.
async fn endless(cancelled: mpsc::Sender<()>) -> Stub {
    Stub::start(move |mut request: Request<Incoming>| {
        let cancelled = cancelled.clone();
        let (sender, body) = channel();
        tokio::spawn(async move {
            sender.send("first".into()).await.unwrap();
            while let Some(Ok(_)) = request.body_mut().frame().await {}
            sender.closed().await;
            cancelled.send(()).await.unwrap();
        });
        async { Response::new(body) }
    })
    .await
}

#[tokio::test]
async fn cancelled_streams_are_cancelled_at_daprd() {
    let (report, mut cancelled) = mpsc::channel(1);
    let stub = endless(report).await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    let mut response = caller.call(UNKNOWN, HeaderMap::new(), full("request")).await;
    assert_eq!(next(response.body_mut()).await.unwrap(), "first");
    drop(response);
    with_timeout(cancelled.recv()).await.unwrap();
}

#[tokio::test]
async fn cancelled_streams_with_an_open_request_are_cancelled_at_daprd() {
    let (report, mut cancelled) = mpsc::channel(1);
    let stub = endless(report).await;
    let mynah = in_front_of(&stub, &[]);
    let stream = TcpStream::connect(mynah.grpc).await.unwrap();
    let (mut client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let request = Request::post(format!("http://mynah{UNKNOWN}"));
    let request = request.header("content-type", "application/grpc").body(()).unwrap();
    let (response, mut sender) = client.send_request(request, false).unwrap();
    let mut response = with_timeout(response).await.unwrap();
    assert_eq!(with_timeout(response.body_mut().data()).await.unwrap().unwrap(), "first");
    sender.send_reset(h2::Reason::CANCEL);
    with_timeout(cancelled.recv()).await.unwrap();
}

#[tokio::test]
async fn calls_without_an_answer_are_cancelled_at_daprd() {
    let (report, mut events) = mpsc::channel(1);
    let stub = Stub::start(move |request: Request<Incoming>| {
        let report = report.clone();
        async move {
            report.send("started").await.unwrap();
            let mut body = request.into_body();
            tokio::spawn(async move {
                while let Some(Ok(_)) = body.frame().await {}
                report.send("cancelled").await.unwrap();
            });
            std::future::pending().await
        }
    })
    .await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    let (_sender, open) = channel();
    tokio::select! {
        _ = caller.call(UNKNOWN, HeaderMap::new(), open) => panic!("there is no answer"),
        event = events.recv() => assert_eq!(event, Some("started")),
    }
    assert_eq!(with_timeout(events.recv()).await, Some("cancelled"));
}

#[tokio::test]
async fn a_thousand_streams_run_in_parallel() {
    let all_arrived = Arc::new(Barrier::new(PARALLEL));
    let stub = Stub::start(move |_| {
        let all_arrived = all_arrived.clone();
        async move {
            all_arrived.wait().await;
            Response::new(full("done"))
        }
    })
    .await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    let calls = (0..PARALLEL).map(|_| caller.call(UNKNOWN, HeaderMap::new(), full("")));
    for response in join_all(calls).await {
        let body = with_timeout(response.into_body().collect()).await.unwrap();
        assert_eq!(body.to_bytes(), "done");
    }
}

#[tokio::test]
async fn slow_readers_hold_up_daprd_and_nobody_else() {
    const SLOW: usize = 200;
    const PIECE: usize = 64 * 1024;
    // What the windows of both connections and the buffers between them can hold.
    const MAX_SENT: usize = 64 << 20;
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    let stub = Stub::start(move |request: Request<Incoming>| {
        let count = count.clone();
        let (sender, body) = channel();
        if request.uri().path() == UNKNOWN {
            tokio::spawn(async move {
                while sender.send(vec![0; PIECE].into()).await.is_ok() {
                    count.fetch_add(PIECE, Ordering::Relaxed);
                }
            });
        }
        async { Response::new(body) }
    })
    .await;
    let mynah = in_front_of(&stub, &[]);
    let slow = Caller::connect(mynah.grpc).await;
    let calls = (0..SLOW).map(|_| slow.call(UNKNOWN, HeaderMap::new(), full("")));
    let responses = join_all(calls).await;
    // Two connections of each thread, which share connections to daprd with the slow calls.
    for _ in 0..4 {
        let other = Caller::connect(mynah.grpc).await;
        let response = other.call("/quick", HeaderMap::new(), full("")).await;
        with_timeout(response.into_body().collect()).await.unwrap();
    }
    assert!(sent.load(Ordering::Relaxed) < MAX_SENT, "{sent:?}");
    drop(responses);
}

#[tokio::test]
async fn lost_connections_are_reported_and_renewed() {
    let mut stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let caller = Caller::connect(mynah.grpc).await;
    let (sender, body) = channel();
    let mut response = caller.call(UNKNOWN, HeaderMap::new(), body).await;
    sender.send("before".into()).await.unwrap();
    assert_eq!(next(response.body_mut()).await.unwrap(), "before");
    stub.kill().await;
    let address = format!("daprd at {} is not available", stub.address);
    let is_unavailable = |(code, message): (String, String)| {
        assert_eq!(code, UNAVAILABLE, "{message}");
        assert!(message.replace("%20", " ").contains(&address), "{message}");
    };
    let end = with_timeout(response.into_body().collect()).await.unwrap();
    is_unavailable(status(end.trailers().unwrap()));
    is_unavailable(caller.status(UNKNOWN).await);
    stub.restart().await;
    assert_eq!(caller.status(UNKNOWN).await.0, "0");
}

#[tokio::test]
async fn the_token_is_checked_here_and_sent_on() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[("DAPR_API_TOKEN", "secret")]);
    let caller = Caller::connect(mynah.grpc).await;
    let without = caller.call(UNKNOWN, HeaderMap::new(), full("")).await;
    assert_eq!(without.headers()["grpc-status"], "16");
    assert!(!without.headers().contains_key("x-target"));
    let token = headers(&[("dapr-api-token", "secret")]);
    let response = caller.call(UNKNOWN, token, full("")).await;
    assert_eq!(response.headers()["dapr-api-token"], "secret");
}
