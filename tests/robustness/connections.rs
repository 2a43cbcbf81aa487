//! Tests of many connections and of invalid HTTP/1.1 heads.

use std::{net::SocketAddr, process::Command};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::survives;
use crate::support::{Sidecar, process::with_timeout, report};

/// The number of connections, if the limit on open files allows it.
const CONNECTIONS: usize = 2_000;

/// Returns the number of connections that this process and the sidecar can open.
fn max_connections() -> usize {
    let limit = Command::new("sh").args(["-c", "ulimit -n"]).output().unwrap();
    let limit = String::from_utf8(limit.stdout).unwrap();
    // Leave the other half to tests that run at the same time.
    limit.trim().parse().map_or(CONNECTIONS, |limit: usize| CONNECTIONS.min(limit / 2))
}

#[tokio::test]
async fn serves_thousands_of_open_connections() {
    let (sidecar, count) = (Sidecar::start(), max_connections());
    if count < CONNECTIONS {
        report(&format!("tested with {count} connections instead of {CONNECTIONS}: see ulimit -n"));
    }
    let open = async {
        let mut open = Vec::new();
        for number in 0..count {
            let address = [sidecar.http, sidecar.grpc][number % 2];
            open.push(TcpStream::connect(address).await.unwrap());
        }
        for connection in open.iter_mut().step_by(2) {
            connection
                .write_all(b"GET /v1.0/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .await
                .unwrap();
        }
        for connection in open.iter_mut().step_by(2) {
            let mut status = [0; 12];
            connection.read_exact(&mut status).await.unwrap();
            assert_eq!(&status, b"HTTP/1.1 204");
        }
    };
    survives(&sidecar, open).await;
}

async fn exchange(address: SocketAddr, request: &[u8]) -> String {
    let mut connection = TcpStream::connect(address).await.unwrap();
    // The server may close the connection before it has read everything.
    let _ = connection.write_all(request).await;
    let mut response = Vec::new();
    let _ = with_timeout(connection.read_to_end(&mut response)).await;
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test]
async fn rejects_invalid_heads() {
    let sidecar = Sidecar::start();
    let get = |rest: &str| {
        format!("GET /v1.0/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{rest}\r\n")
    };
    let length = |length: &str| {
        format!(
            "POST /v1.0-alpha2/conversation/echo/converse HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{{}}"
        )
    };
    let cases = [
        ("a header of 200 KiB", get(&format!("A: {}\r\n", "x".repeat(200 * 1024))), "431"),
        ("a thousand headers", get(&"A: b\r\n".repeat(1_000)), "431"),
        (
            "a request line of 200 KiB",
            format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(200 * 1024)),
            "4",
        ),
        ("not HTTP", "\x16\x03\x01\x02\x00\x01\x00".repeat(10) + "\r\n\r\n", "400"),
        ("an unknown version", "GET / HTTP/9.9\r\n\r\n".to_owned(), "400"),
        ("a NUL in a header", get("A: \0\r\n"), "400"),
        ("a length that is not a number", length("x"), "400"),
        ("a negative length", length("-1"), "400"),
        ("a length of 2^64 - 1", length("18446744073709551615"), "4"),
        ("two lengths", length("2\r\nContent-Length: 3"), "400"),
        ("a length and chunks", length("2\r\nTransfer-Encoding: chunked"), "400"),
    ];
    for (what, request, status) in cases {
        let response = survives(&sidecar, exchange(sidecar.http, request.as_bytes())).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{what}: {response:?}");
    }
}
