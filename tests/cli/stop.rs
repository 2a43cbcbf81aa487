//! Tests of shutdown while a call is in flight.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use insta::assert_snapshot;
use rustix::process::Signal;

use super::{VALID, report, write_folder};
use crate::support::{
    mynah,
    process::{Output, Process},
    scratch,
};

/// Sends signals to a sidecar during a stream that pauses for an hour.
fn stop(grace_seconds: &str, signals: &[Signal]) -> Output {
    let resources = write_folder(&[(
        "slow.yaml",
        &format!("{VALID}  metadata: [{{name: chunkDelay, value: 1h}}]\n"),
    )]);
    let addresses = scratch("addresses").join("addresses.json");
    let mut command = mynah();
    command.args(["--dapr-grpc-port=0", "--dapr-http-port=0", "--enable-metrics=false"]);
    command.arg("--resources-path").arg(resources).arg("--addresses-file").arg(&addresses);
    let process = Process::start(command.args(["--dapr-graceful-shutdown-seconds", grace_seconds]));
    let address = process.address(&addresses, "http");
    let _stream = start_stream(address);
    for &signal in signals {
        process.signal(signal, address);
    }
    Output { stdout: String::new(), ..process.wait() }
}

/// Starts a stream and waits for its headers.
pub fn start_stream(address: std::net::SocketAddr) -> TcpStream {
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
fn cuts_calls_after_grace_period() {
    assert_snapshot!(report(&stop("1", &[Signal::TERM])), @"
    -- stderr
     WARN connections are still open after 1s; closing them
    -- exit 0
    ");
}

#[test]
fn closing_standard_input_stops_the_sidecar() {
    let addresses = scratch("addresses").join("addresses.json");
    let mut command = mynah();
    command.args(["--dapr-grpc-port=0", "--dapr-http-port=0", "--enable-metrics=false"]);
    command.arg("--exit-on-stdin-close").arg("--addresses-file").arg(&addresses);
    let (process, mut input) = Process::start_with_open_input(&mut command);
    process.wait_until_serving(&addresses);
    input.write_all(b"ignored").unwrap();
    drop(input);
    let output = process.wait();
    assert_eq!((output.code, &*output.stderr), (Some(0), ""));
}

#[test]
fn second_signal_cuts_calls() {
    assert_snapshot!(report(&stop("3600", &[Signal::TERM, Signal::TERM])), @"
    -- stderr
    mynah: second signal received; calls in flight were cut off
    -- exit 1
    ");
}
