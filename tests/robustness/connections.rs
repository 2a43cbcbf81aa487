//! Many connections, and what stands in their first lines.

use std::{net::SocketAddr, process::Command};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::survives;
use crate::support::{Sidecar, process::with_timeout};

/// What is opened where the system lets a process have as many files.
const CONNECTIONS: usize = 2_000;

/// Connections that this process, and the one that it started, can have.
fn possible() -> usize {
    let limit = Command::new("sh").args(["-c", "ulimit -n"]).output().unwrap();
    let limit = String::from_utf8(limit.stdout).unwrap();
    // Half for all the tests that run beside this one.
    limit.trim().parse().map_or(CONNECTIONS, |limit: usize| CONNECTIONS.min(limit / 2))
}

#[tokio::test]
async fn thousands_of_connections_are_open_at_once() {
    let (sidecar, count) = (Sidecar::start(), possible());
    if count < CONNECTIONS {
        eprintln!("{count} connections in the place of {CONNECTIONS}: see ulimit -n");
    }
    let open = async {
        let mut open = Vec::new();
        for number in 0..count {
            let address = [sidecar.http, sidecar.grpc][number % 2];
            open.push(TcpStream::connect(address).await.unwrap());
        }
        // Every one of them is served.
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

async fn said(address: SocketAddr, request: &[u8]) -> String {
    let mut connection = TcpStream::connect(address).await.unwrap();
    // Whoever has had enough does not take the rest.
    let _ = connection.write_all(request).await;
    let mut said = Vec::new();
    let _ = with_timeout(connection.read_to_end(&mut said)).await;
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test]
async fn heads_get_a_clear_status() {
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
        ("a line of 200 KiB", format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(200 * 1024)), "4"),
        ("no HTTP", "\x16\x03\x01\x02\x00\x01\x00".repeat(10) + "\r\n\r\n", "400"),
        ("another version", "GET / HTTP/9.9\r\n\r\n".to_owned(), "400"),
        ("a null in a header", get("A: \0\r\n"), "400"),
        ("a length that is none", length("x"), "400"),
        ("a length below zero", length("-1"), "400"),
        ("a length beyond all", length("18446744073709551615"), "4"),
        ("two lengths", length("2\r\nContent-Length: 3"), "400"),
        ("two ways of framing", length("2\r\nTransfer-Encoding: chunked"), "400"),
    ];
    for (what, request, status) in cases {
        let said = survives(&sidecar, said(sidecar.http, request.as_bytes())).await;
        assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{what}: {said:?}");
    }
}
