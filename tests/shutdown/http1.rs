//! HTTP/1 clients at shutdown. Without GOAWAY, a client learns only from an answer that the
//! connection closes, so mynah answers the calls that may already be on their way.

use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
};

use rustix::process::Signal;

use super::{body, connect, slow};
use crate::support::{
    mynah,
    process::{HANG, Process},
    scratch,
};

fn post(connection: &str) -> String {
    let body = body("late");
    format!(
        "POST /v1.0-alpha2/conversation/echo/converse HTTP/1.1\r\nHost: localhost\r\n\
         Connection: {connection}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads to the end; asserts that there is one answer and returns it.
fn answer(mut connection: impl Read) -> String {
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer:?}");
    assert!(answer.ends_with('}') && answer.contains(r#""content":"late""#), "{answer}");
    answer
}

/// Asserts one answer, which says that the connection ends.
fn assert_last_answer(connection: impl Read) {
    let answer = answer(connection);
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
}

#[tokio::test]
async fn answers_a_call_on_an_idle_connection() {
    let mut sidecar = slow("0s", "3600");
    let mut idle = connect(sidecar.http);
    idle.write_all(b"GET /v1.0/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut health = Vec::new();
    while !health.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        idle.read_exact(&mut byte).unwrap();
        health.push(byte[0]);
    }
    assert!(!String::from_utf8(health).unwrap().contains("connection"), "not draining yet");
    sidecar.signal(Signal::TERM);
    sidecar.wait_until_refused(sidecar.http).await;
    idle.write_all(post("keep-alive").as_bytes()).unwrap();
    assert_last_answer(idle);
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

#[tokio::test]
async fn answers_a_call_on_a_silent_connection() {
    let mut sidecar = slow("0s", "3600");
    let mut silent = connect(sidecar.http);
    // When a later connection is served, the earlier one has been accepted.
    assert_eq!(sidecar.get("/v1.0/healthz").await.status, 204);
    sidecar.signal(Signal::TERM);
    sidecar.wait_until_refused(sidecar.http).await;
    silent.write_all(post("keep-alive").as_bytes()).unwrap();
    assert_last_answer(silent);
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

/// The process is stopped, so that the connections wait in the system's queue.
#[tokio::test]
async fn answers_connections_that_are_not_accepted_yet() {
    let mut sidecar = slow("0s", "3600");
    sidecar.signal(Signal::STOP);
    let mut waiting: Vec<_> = (0..100).map(|_| connect(sidecar.http)).collect();
    for connection in &mut waiting {
        connection.write_all(post("keep-alive").as_bytes()).unwrap();
    }
    sidecar.signal(Signal::TERM);
    sidecar.signal(Signal::CONT);
    for connection in waiting {
        answer(connection);
    }
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

#[test]
fn answers_unix_connections_that_are_not_accepted_yet() {
    let folder = scratch("sockets");
    let addresses = folder.join("addresses.json");
    let mut command = mynah();
    command.args(["--metrics-port=0", "--dapr-graceful-shutdown-seconds=3600"]);
    command.arg("--unix-domain-socket").arg(&folder).arg("--addresses-file").arg(&addresses);
    let process = Process::start(&mut command);
    process.wait_until_serving(&addresses);
    process.send(Signal::STOP);
    let socket = folder.join("dapr-mynah-http.socket");
    let mut waiting: Vec<_> = (0..100).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    for connection in &mut waiting {
        connection.set_read_timeout(Some(HANG)).unwrap();
        connection.write_all(post("keep-alive").as_bytes()).unwrap();
    }
    process.send(Signal::TERM);
    process.send(Signal::CONT);
    for connection in waiting {
        answer(connection);
    }
    assert_eq!(process.wait().code, Some(0));
}
