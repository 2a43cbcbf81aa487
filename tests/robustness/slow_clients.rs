//! Tests of clients that send a request slowly or never complete it.

use std::{future, net::SocketAddr};

use mynah::internals::wire::proto::{ConversationRequestAlpha2, ConversationResponseAlpha2};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{
    Code, Request, Status, client::Grpc, codegen::http::uri::PathAndQuery, transport::Endpoint,
};
use tonic_prost::ProstCodec;

use super::{
    http2::{
        ACK, Connection, DATA, END_HEADERS, END_STREAM, HEADERS, PING, RESET, frame, headers_for,
    },
    survives,
};
use crate::support::{
    Sidecar,
    attacks::{now, report_row},
    process::with_timeout,
};

const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// Sends half a request and returns the response.
async fn send_half(address: SocketAddr, half: &str) -> String {
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(half.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    // The server may reset the connection instead of closing it.
    let _ = with_timeout(connection.read_to_end(&mut response)).await;
    String::from_utf8(response).unwrap()
}

/// Sends half a request, and then single bytes until the server closes the connection.
async fn drip(address: SocketAddr, half: &str) {
    let (mut receiver, mut sender) = TcpStream::connect(address).await.unwrap().into_split();
    sender.write_all(half.as_bytes()).await.unwrap();
    let write = async {
        while sender.write_all(b"x").await.is_ok() {
            super::pause().await;
        }
        future::pending::<()>().await;
    };
    let mut response = Vec::new();
    tokio::select! {
        () = write => {}
        _ = with_timeout(receiver.read_to_end(&mut response)) => {}
    }
}

/// Returns the status of a call that never sends its message.
async fn send_no_message(address: SocketAddr) -> Status {
    let endpoint = Endpoint::new(format!("http://{address}")).unwrap();
    let mut caller = Grpc::new(endpoint.connect_lazy());
    caller.ready().await.unwrap();
    let path = PathAndQuery::from_static("/dapr.proto.runtime.v1.Dapr/ConverseAlpha2");
    let codec = ProstCodec::<ConversationRequestAlpha2, ConversationResponseAlpha2>::default();
    let never = Request::new(futures_util::stream::pending());
    with_timeout(caller.client_streaming(never, path, codec)).await.unwrap_err()
}

/// Sends the first bytes of a message, answers pings, and waits for the end of the call.
async fn send_half_a_message(address: SocketAddr, path: &str) {
    let Connection { mut sender, mut receiver } = Connection::open(address).await;
    let call =
        [frame(HEADERS, END_HEADERS, 1, &headers_for(path)), frame(DATA, 0, 1, &[0, 0, 0, 0, 9])];
    sender.write_all(&call.concat()).await.unwrap();
    with_timeout(async {
        loop {
            let received = receiver.next().await.unwrap();
            match received.kind {
                HEADERS if received.flags & END_STREAM != 0 => return,
                RESET => return,
                PING => sender.write_all(&frame(PING, ACK, 0, &received.payload)).await.unwrap(),
                _ => {}
            }
        }
    })
    .await
}

/// This is a single test so that all clients wait at the same time.
#[tokio::test]
async fn times_out_incomplete_requests() {
    let sidecar = Sidecar::start();
    let (http, grpc) = (sidecar.http, sidecar.grpc);
    let post = "POST /v1.0-alpha2/conversation/echo/converse HTTP/1.1\r\nHost: localhost\r\n";
    let whole = format!("{post}Content-Length: 100\r\n\r\n{{");
    let chunked = format!("{post}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n");
    let (drip_head, drip_body) =
        (format!("{post}A: "), format!("{post}Content-Length: 100000\r\n\r\n"));
    let start = now();
    let wait = async {
        tokio::join!(
            send_half(http, ""),
            send_half(http, "POST /v1.0-al"),
            send_half(http, post),
            send_half(grpc, "PRI * HTTP/2"),
            send_half(http, "PRI * HTTP/2"),
            send_half(http, &whole),
            send_half(http, &chunked),
            send_no_message(grpc),
            drip(http, &drip_head),
            drip(http, &drip_body),
            send_half_a_message(grpc, "/grpc.health.v1.Health/Check"),
            send_half_a_message(grpc, "/grpc.health.v1.Health/Watch"),
            send_half_a_message(grpc, REFLECTION),
        )
    };
    let (silent, line, head, preface, other, body, chunks, status, ..) =
        survives(&sidecar, wait).await;
    let result = format!("all closed after {:.0} s", start.elapsed().as_secs_f64());
    report_row(&["half a request, or single bytes, on each surface", &result]);
    assert_eq!([silent, line, head, other], [""; 4]);
    assert!(!preface.contains("HTTP"), "{preface:?}");
    for answer in [body, chunks] {
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(answer.contains("not complete after 30 s"), "{answer}");
    }
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    assert!(status.message().contains("not complete after 30 s"), "{status:?}");
}
