//! What it says when it stops while somebody is being answered.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use insta::assert_snapshot;
use rustix::process::Signal;

use super::{GOOD, folder, report};
use crate::support::{
    mynah,
    process::{Output, Process},
    scratch,
};

/// Stops a sidecar, by signals, amid a stream that would rest for an hour.
fn stopped(grace_seconds: &str, signals: &[Signal]) -> Output {
    let resources =
        folder(&[("slow.yaml", &format!("{GOOD}  metadata: [{{name: chunkDelay, value: 1h}}]\n"))]);
    let addresses = scratch("addresses").join("addresses.json");
    let mut command = mynah();
    command.args(["--dapr-grpc-port=0", "--dapr-http-port=0", "--enable-metrics=false"]);
    command.arg("--resources-path").arg(resources).arg("--addresses-file").arg(&addresses);
    let process = Process::start(command.args(["--dapr-graceful-shutdown-seconds", grace_seconds]));
    let address = process.address(&addresses, "http");
    let _stream = streaming(address);
    for &signal in signals {
        process.signal(signal, address);
    }
    Output { stdout: String::new(), ..process.wait() }
}

/// A stream whose first chunk is on its way.
fn streaming(address: std::net::SocketAddr) -> TcpStream {
    let body = r#"{"inputs":[{"messages":[{"ofUser":{"content":[{"text":"a b"}]}}]}]}"#;
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /v1.0-alpha2/conversation/parrot/converse HTTP/1.1\r\nHost: localhost\r\n\
         Accept: text/event-stream\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    stream
}

#[test]
fn calls_that_do_not_end_in_time() {
    assert_snapshot!(report(&stopped("1", &[Signal::TERM])), @"
    -- stderr
     WARN connections are still open after 1s; cutting them
    -- exit 0
    ");
}

#[test]
fn a_second_signal() {
    assert_snapshot!(report(&stopped("3600", &[Signal::TERM, Signal::TERM])), @"
    -- stderr
    mynah: a second signal: calls in flight were cut
    -- exit 1
    ");
}
