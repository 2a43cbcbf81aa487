//! Clients that make the sidecar keep as much memory as possible.
//!
//! Peak memory must stay below the memory budget plus [`OVERHEAD`]. `bench/attacks` runs these tests
//! at full scale with a release build and prints the figures in bench/README.md.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, future::join_all, stream};
use prost::Message;
use reqwest::{Body, header::CONTENT_LENGTH};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, tcp::OwnedWriteHalf},
};

use super::{
    for_one_second,
    http2::{ACK, Connection, DATA, END_HEADERS, END_STREAM, Frame, HEADERS, PING, frame, headers},
    open_files,
    other_client::{OtherClient, report_attack},
    peak, survives,
};
use crate::support::{
    Sidecar,
    attacks::is_full_scale,
    http::direct_builder,
    messages::{encoded, prompt, request, user},
    process::{wait_until, with_timeout},
    scratch,
};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
/// The memory for everything but calls: the program, connections, and what the allocator keeps.
const OVERHEAD: usize = 64 * MIB;
const GRPC_PATH: &str = "/dapr.proto.runtime.v1.Dapr/ConverseStreamAlpha2";
const HTTP_PATH: &str = "/v1.0-alpha2/conversation/echo/converse";
/// The size that requests announce, which is the largest that mynah accepts.
const ANNOUNCED: usize = 4 * MIB;

/// How large the attacks are.
pub(super) struct Scale {
    pub(super) is_full: bool,
    pub(super) budget: usize,
    pub(super) connections: usize,
    pub(super) streams_per_connection: usize,
    large_requests: usize,
    /// The size of a large request in bytes.
    large: usize,
}

impl Scale {
    /// Reads the scale. Budget and requests keep their proportion: the allocator keeps blocks of some
    /// megabytes for a while, of which smaller requests would leave more.
    pub(super) fn read() -> Self {
        let is_full = is_full_scale();
        if is_full {
            let (budget, large) = (256 * MIB, ANNOUNCED - KIB);
            let (connections, streams_per_connection) = (2, 150);
            Self { is_full, budget, connections, streams_per_connection, large_requests: 24, large }
        } else {
            let (budget, large) = (64 * MIB, MIB);
            let (connections, streams_per_connection) = (2, 40);
            Self { is_full, budget, connections, streams_per_connection, large_requests: 6, large }
        }
    }

    pub(super) fn start(&self) -> Sidecar {
        Sidecar::start_with(&["--max-memory", &self.budget.to_string()])
    }

    /// Runs an attack. Asserts that memory stays within the budget, prints the figures at full scale,
    /// and returns the median latency of another client.
    pub(super) async fn run(
        &self,
        sidecar: &Sidecar,
        what: &str,
        attack: impl Future<Output = ()>,
    ) {
        let other = OtherClient::start(sidecar.grpc);
        survives(sidecar, attack).await;
        let latencies = other.stop();
        let peak = peak(sidecar) / KIB;
        report_attack(what, peak, &latencies);
        if self.is_full {
            assert!(latencies.median() < Duration::from_millis(100), "{what}: {latencies:?}");
        }
        assert!(peak * MIB < self.budget + OVERHEAD, "{what}: {peak} MiB");
    }
}

/// Makes calls over HTTP/2 whose bodies start like this and never end, and keeps them for a second.
async fn stall(scale: &Scale, url: String, start: Bytes, content_length: Option<usize>) {
    let client = || direct_builder().http2_prior_knowledge().build().unwrap();
    let clients: Vec<_> = (0..scale.connections).map(|_| client()).collect();
    let calls = clients.iter().flat_map(|client| vec![client; scale.streams_per_connection]);
    let calls = calls.map(|client| {
        let start = stream::iter([Ok::<_, std::io::Error>(start.clone())]);
        let mut call = client.post(&url).body(Body::wrap_stream(start.chain(stream::pending())));
        call = call.header("content-type", "application/grpc").header("te", "trailers");
        if let Some(length) = content_length {
            call = call.header(CONTENT_LENGTH, length);
        }
        async move {
            // Refused when the memory is exhausted.
            let _ = call.send().await;
        }
    });
    let calls = join_all(calls);
    let _ = for_one_second(calls).await;
}

/// Encodes the start of a gRPC message: the prefix, and `len` bytes of the message.
fn start_of_message(len: usize) -> Bytes {
    let mut start = vec![0];
    start.extend(u32::try_from(ANNOUNCED).unwrap().to_be_bytes());
    start.resize(start.len() + len, 0x0a);
    start.into()
}

#[tokio::test]
async fn stalled_requests_over_grpc() {
    let scale = Scale::read();
    for len in [0, 64 * KIB, scale.large] {
        let sidecar = scale.start();
        let url = format!("http://{}{GRPC_PATH}", sidecar.grpc);
        let what = format!("{} KiB of 4 MiB over gRPC, then nothing", len / KIB);
        scale.run(&sidecar, &what, stall(&scale, url, start_of_message(len), None)).await;
    }
}

#[tokio::test]
async fn stalled_requests_over_http() {
    let scale = Scale::read();
    for len in [1, 64 * KIB, scale.large] {
        let sidecar = scale.start();
        let url = format!("http://{}{HTTP_PATH}", sidecar.http);
        let start = Bytes::from(" ".repeat(len));
        let what = format!("{} KiB of 4 MiB over HTTP, then nothing", len / KIB);
        scale.run(&sidecar, &what, stall(&scale, url, start, Some(ANNOUNCED))).await;
    }
}

/// Memory must not be allocated for bytes that were only announced.
#[tokio::test]
async fn announced_requests_with_little_address_space() {
    let scale = Scale { connections: 10, streams_per_connection: 100, ..Scale::read() };
    let sidecar = scale.start();
    let limit = Some(3 * 1024 * MIB as u64);
    let pid = Pid::from_raw(i32::try_from(sidecar.pid()).unwrap());
    prlimit(pid, Resource::As, Rlimit { current: limit, maximum: limit }).unwrap();
    let url = format!("http://{}{GRPC_PATH}", sidecar.grpc);
    let what = "1,000 announcements of 4 MiB, 3 GiB of address space";
    scale.run(&sidecar, what, stall(&scale, url, start_of_message(0), None)).await;
}

/// Sends large requests at the same time. Each is answered, or refused because of the memory.
async fn send_all(scale: &Scale, url: &str, message: Vec<u8>, content_type: &str) {
    let message = Bytes::from(message);
    let calls = (0..scale.large_requests).map(|_| {
        let client = direct_builder().http2_prior_knowledge().build().unwrap();
        let call = client.post(url).header("content-type", content_type).header("te", "trailers");
        let call = call.body(message.clone());
        async move {
            let response = call.send().await.unwrap();
            let code = response.headers().get("grpc-status").map(|code| code.as_bytes().to_vec());
            let is_known = matches!(code.as_deref(), None | Some(b"0" | b"8"));
            let status = response.status().as_u16();
            assert!(is_known && matches!(status, 200 | 503), "{status} {code:?}");
            let _ = response.bytes().await.unwrap();
        }
    });
    join_all(calls).await;
}

#[tokio::test]
async fn requests_of_tiny_values() {
    let scale = Scale::read();
    let count = scale.large / 2;
    let empty_tool = [8 << 3 | 2, 0];
    let tools = [prompt("hello", []).encode_to_vec(), empty_tool.repeat(count - 20)].concat();
    let nulls = prost_types::ListValue { values: vec![null(); scale.large / 4 - 8] };
    let mut formatted = prompt("hello", []);
    let list = prost_types::Value { kind: Some(prost_types::value::Kind::ListValue(nulls)) };
    formatted.response_format =
        Some(encoded(&prost_types::Struct { fields: [("a".to_owned(), list)].into() }));
    for (what, message) in [("empty tools", tools), ("nulls", formatted.encode_to_vec())] {
        let sidecar = scale.start();
        let url = format!("http://{}{GRPC_PATH}", sidecar.grpc);
        let len = u32::try_from(message.len()).unwrap();
        let message = [&[0], &len.to_be_bytes()[..], &message].concat();
        let what = format!("{} gRPC calls of 4 MiB of {what}", scale.large_requests);
        scale.run(&sidecar, &what, send_all(&scale, &url, message, "application/grpc")).await;
    }
    let objects = "{},".repeat(scale.large / 3 - 40);
    let bodies = [
        ("empty objects", json_body(&format!("\"a\": [{objects}0]"))),
        ("numbers", json_body(&format!("\"a\": [{}0]", "1,".repeat(scale.large / 2 - 40)))),
    ];
    for (what, body) in bodies {
        let sidecar = scale.start();
        let url = format!("http://{}{HTTP_PATH}", sidecar.http);
        let what = format!("{} HTTP calls of 4 MiB of {what}", scale.large_requests);
        scale.run(&sidecar, &what, send_all(&scale, &url, body, "application/json")).await;
    }
}

fn null() -> prost_types::Value {
    prost_types::Value { kind: Some(prost_types::value::Kind::NullValue(0)) }
}

fn json_body(format: &str) -> Vec<u8> {
    format!(r#"{{"inputs": [{{}}], "responseFormat": {{{format}}}}}"#).into_bytes()
}

/// A prompt of a few bytes with an answer of 600,000 words.
fn long_answer() -> String {
    let message = json!({"text_message": {"length": 100_000}});
    let step = json!({"messages": vec![message; 6]});
    format!("<|instruction_start|>{step}<|instruction_end|>")
}

fn with_chains(scale: &Scale) -> Sidecar {
    let folder = scratch("chains");
    let yaml = "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata:\n  name: echo\n\
                spec:\n  type: conversation.scripted\n  version: v1\n";
    std::fs::write(folder.join("echo.yaml"), yaml).unwrap();
    let budget = scale.budget.to_string();
    Sidecar::start_with(&["--max-memory", &budget, "--resources-path", folder.to_str().unwrap()])
}

/// Makes calls over a connection with a window of zero bytes.
pub(super) async fn call_without_window(
    address: SocketAddr,
    calls: usize,
    headers: &[u8],
    message: &impl Message,
) -> Connection {
    let window = [0, 4, 0, 0, 0, 0];
    let mut connection = Connection::open_with(address, &window).await;
    let message = message.encode_to_vec();
    let len = u32::try_from(message.len()).unwrap();
    let message = [&[0], &len.to_be_bytes()[..], &message].concat();
    for number in 0..calls {
        let stream = u32::try_from(2 * number + 1).unwrap();
        let call = [
            frame(HEADERS, END_HEADERS, stream, headers),
            frame(DATA, END_STREAM, stream, &message),
        ];
        connection.sender.write_all(&call.concat()).await.unwrap();
    }
    connection
}

/// Opens streams with a window of zero bytes, and reads until the server closes the connection or has
/// refused all calls.
async fn stream_without_window(address: SocketAddr, streams: usize) {
    let message = request([user(&long_answer())]);
    let connection = call_without_window(address, streams, &headers(), &message).await;
    let Connection { mut sender, mut receiver } = connection;
    let mut open = streams;
    while open > 0
        && let Some(frame) = receiver.next().await
    {
        match (frame.kind, frame.flags) {
            (PING, _) => acknowledge(&mut sender, &frame).await,
            (HEADERS, flags) if flags & END_STREAM > 0 => open -= 1,
            _ => {}
        }
    }
}

pub(super) async fn acknowledge(sender: &mut OwnedWriteHalf, ping: &Frame) {
    let _ = sender.write_all(&frame(PING, ACK, 0, &ping.payload)).await;
}

/// Requests an answer of megabytes over HTTP/1.1, and reads nothing.
async fn never_read(address: SocketAddr, accept: &str) -> TcpStream {
    let body = request([user(&long_answer())]);
    let body = mynah::internals::wire::json::write(&body).unwrap();
    let mut connection = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {HTTP_PATH} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection
}

/// Waits for the answer on a connection. Returns `true` if it does not fit into the memory. Such a
/// connection stays open for another request.
async fn is_refused(connection: &TcpStream) -> bool {
    let mut status = *b"HTTP/1.1 ___";
    with_timeout(connection.peek(&mut status)).await.is_ok() && &status == b"HTTP/1.1 503"
}

/// A single test, so that all clients wait at the same time.
#[tokio::test]
async fn closes_connections_that_take_no_responses() {
    let scale = Scale::read();
    let grpc = with_chains(&scale);
    let streams = async {
        let connections = (0..scale.connections)
            .map(|_| stream_without_window(grpc.grpc, scale.streams_per_connection));
        join_all(connections).await;
    };
    let http = with_chains(&scale);
    let unread = async {
        let count = if scale.is_full { 100 } else { 10 };
        let before = open_files(&http);
        let mut connections = Vec::new();
        for number in 0..count {
            let accept = ["application/json", "text/event-stream"][number % 2];
            connections.push(never_read(http.http, accept).await);
        }
        let mut unread = Vec::new();
        for connection in connections {
            if !is_refused(&connection).await {
                unread.push(connection);
            }
        }
        let are_closed = async || (open_files(&http) <= before + 2).then_some(());
        wait_until(are_closed, "the connections are still open").await;
        let mut rest = Vec::new();
        let _ = with_timeout(unread[0].read_to_end(&mut rest)).await;
    };
    let what = "streams of 4 MB with a window of zero";
    let grpc_attack = scale.run(&grpc, what, streams);
    let http_attack = scale.run(&http, "HTTP/1.1 answers of 4 MB that are never read", unread);
    tokio::join!(grpc_attack, http_attack);
}

/// The control API charges the journal that it sends.
#[tokio::test]
async fn unread_journals() {
    let scale = Scale::read();
    let flags = ["--max-memory", &scale.budget.to_string(), "--journal-size=16Mi"];
    let sidecar = Sidecar::start_with(&flags);
    let text = "x".repeat(MIB);
    for _ in 0..6 {
        sidecar.converse(request([user(&text)])).await.unwrap();
    }
    let read = async |_| {
        let mut stream = TcpStream::connect(sidecar.http).await.unwrap();
        let call = b"GET /mynah/v1/journal HTTP/1.1\r\nhost: localhost\r\n\r\n";
        stream.write_all(call).await.unwrap();
        std::future::pending::<()>().await;
    };
    let clients = async {
        let _ = for_one_second(join_all((0..40).map(read))).await;
    };
    scale.run(&sidecar, "40 clients that do not read the journal", clients).await;
    let is_free = async || {
        let status = sidecar.get("/mynah/v1/journal").await.status;
        (status == 200).then_some(())
    };
    wait_until(is_free, "the memory was not returned").await;
}
