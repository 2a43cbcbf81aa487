//! Connections that ask for another protocol than HTTP/1.1.

use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy, split},
    net::TcpStream,
};

use super::{
    in_front_of,
    stub::{Stub, full, headers},
};
use crate::support::{Sidecar, process::with_timeout};

/// Starts a server that consents to upgrades and then sends back what it gets.
async fn upgrading() -> Stub {
    Stub::start(async |mut request: Request<Incoming>| {
        if !request.headers().contains_key("upgrade") {
            return Response::new(full("no upgrade"));
        }
        let upgrade = hyper::upgrade::on(&mut request);
        tokio::spawn(async move {
            let (mut reader, mut writer) = split(TokioIo::new(upgrade.await.unwrap()));
            copy(&mut reader, &mut writer).await.unwrap();
            writer.shutdown().await.unwrap();
        });
        let mut response = Response::new(full(""));
        *response.status_mut() = http::StatusCode::SWITCHING_PROTOCOLS;
        *response.headers_mut() = headers(&[("connection", "upgrade"), ("upgrade", "echo")]);
        response
    })
    .await
}

async fn ask(mynah: &Sidecar, lines: &str) -> TcpStream {
    let mut stream = TcpStream::connect(mynah.http).await.unwrap();
    let request = format!("GET /chat HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads the head of a response.
async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(with_timeout(stream.read_u8()).await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

#[tokio::test]
async fn upgraded_connections_pass_bytes_on() {
    let stub = upgrading().await;
    let mynah = in_front_of(&stub, &[]);
    let mut stream = ask(&mynah, "Connection: upgrade\r\nUpgrade: echo\r\n").await;
    let head = head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert!(head.contains("upgrade: echo\r\n"), "{head}");
    for text in ["one", "two"] {
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut received = [0; 3];
        with_timeout(stream.read_exact(&mut received)).await.unwrap();
        assert_eq!(received, text.as_bytes());
    }
    stream.shutdown().await.unwrap();
    assert_eq!(with_timeout(stream.read(&mut [0; 1])).await.unwrap(), 0);
}

#[tokio::test]
async fn upgrades_to_http2_are_ignored() {
    let stub = upgrading().await;
    let mynah = in_front_of(&stub, &[]);
    let lines =
        "Connection: upgrade, http2-settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n";
    let mut stream = ask(&mynah, lines).await;
    let head = head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    let mut body = String::new();
    with_timeout(stream.read_to_string(&mut body)).await.unwrap();
    assert_eq!(body, "no upgrade");
}

#[tokio::test]
async fn tunnels_are_refused() {
    let stub = upgrading().await;
    let mynah = in_front_of(&stub, &[]);
    let mut stream = TcpStream::connect(mynah.http).await.unwrap();
    stream.write_all(b"CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n").await.unwrap();
    let head = head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 404 "), "{head}");
}
