//! Tests of graceful shutdown: calls in flight finish, idle connections do not delay the exit, and
//! a second signal ends the process immediately.

mod http1;
#[cfg(target_os = "linux")]
mod idle_clients;

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
};

use mynah::internals::wire::{
    json,
    proto::{
        ConversationRequestAlpha2, ConversationResponseAlpha2, ConversationStreamResponseAlpha2,
        ShutdownRequest, conversation_stream_response_alpha2::Message, dapr_client::DaprClient,
    },
};
use rustix::process::Signal;
use tonic::{
    Request, Streaming, client::Grpc, codegen::http::uri::PathAndQuery, transport::Endpoint,
};
use tonic_prost::ProstCodec;

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{Answer, request, user},
    process::{HANG, with_timeout},
    scratch,
};

/// A delay that is longer than any test and any grace period.
const FOREVER: &str = "1h";

/// Starts a sidecar whose streams pause before each chunk except the first one.
fn slow(chunk_delay: &str, grace_seconds: &str) -> Sidecar {
    let folder = scratch("slow");
    let yaml = format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
         spec: {{type: conversation.echo, metadata: [{{name: chunkDelay, value: {chunk_delay}}}]}}\n"
    );
    std::fs::write(folder.join("slow.yaml"), yaml).unwrap();
    let folder = folder.to_str().unwrap();
    Sidecar::start_with(&[
        "--resources-path",
        folder,
        "--dapr-graceful-shutdown-seconds",
        grace_seconds,
    ])
}

fn thirty_words() -> Vec<String> {
    (1..=30).map(|number| format!("word{number} ")).collect()
}

type Stream = Streaming<ConversationStreamResponseAlpha2>;

/// Starts a stream and reads its first chunk.
async fn streaming(sidecar: &Sidecar) -> Stream {
    let request = request([user(thirty_words().concat().trim_end())]);
    let mut stream = sidecar.client().await.converse_stream_alpha2(request).await.unwrap();
    assert_eq!(chunk(stream.get_mut()).await, "word1");
    stream.into_inner()
}

async fn chunk(stream: &mut Stream) -> String {
    match with_timeout(stream.message()).await.unwrap().unwrap().message.unwrap() {
        Message::Chunk(chunk) => chunk.content,
        Message::Complete(_) => panic!("complete instead of a chunk"),
    }
}

/// Starts a stream that ends only when it is read: the window of the connection and the buffers of
/// the server are smaller than the text.
async fn unread(sidecar: &Sidecar) -> Stream {
    let endpoint = Endpoint::new(format!("http://{}", sidecar.grpc)).unwrap();
    let channel = endpoint.initial_stream_window_size(u32::from(u16::MAX)).connect().await;
    let mut client = DaprClient::new(channel.unwrap());
    let request = request([user(&long_words().join(" "))]);
    let mut stream = client.converse_stream_alpha2(request).await.unwrap().into_inner();
    assert_eq!(chunk(&mut stream).await, long_words()[0]);
    stream
}

/// Returns words of 4 KiB, together 2 MiB.
fn long_words() -> Vec<String> {
    (0..512).map(|number| format!("{number:04096}")).collect()
}

/// Reads the rest of an [`unread`] stream and asserts that it is complete.
async fn assert_finishes(mut stream: Stream) {
    for word in &long_words()[1..] {
        assert_eq!(chunk(&mut stream).await.trim_start(), word);
    }
    assert_completes(stream).await;
}

async fn assert_completes(mut stream: Stream) {
    let complete = with_timeout(stream.message()).await.unwrap().unwrap().message;
    assert!(matches!(complete, Some(Message::Complete(_))), "{complete:?}");
    assert!(with_timeout(stream.message()).await.unwrap().is_none(), "a message after complete");
}

/// Asserts that the stream was aborted, which means that it ends with an error before the next
/// chunk.
async fn assert_aborted(mut stream: Stream) {
    with_timeout(stream.message()).await.expect_err("an aborted stream");
}

async fn finishes_a_stream_after(signal: Signal) {
    let mut sidecar = slow("0s", "3600");
    let stream = unread(&sidecar).await;
    sidecar.signal(signal);
    for address in [sidecar.grpc, sidecar.http, sidecar.metrics.unwrap()] {
        sidecar.wait_until_refused(address).await;
    }
    assert_finishes(stream).await;
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

#[tokio::test]
async fn sigterm_finishes_streams_and_refuses_connections() {
    finishes_a_stream_after(Signal::TERM).await;
}

#[tokio::test]
async fn sigint_finishes_streams_and_refuses_connections() {
    finishes_a_stream_after(Signal::INT).await;
}

#[tokio::test]
async fn shutdown_over_http_finishes_streams() {
    let mut sidecar = slow("0s", "3600");
    let stream = unread(&sidecar).await;
    let answer = direct_client().post(sidecar.url("/v1.0/shutdown")).send().await.unwrap();
    assert_eq!(answer.status(), 204);
    sidecar.wait_until_refused(sidecar.http).await;
    assert_finishes(stream).await;
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

#[tokio::test]
async fn shutdown_over_grpc_answers_and_finishes_streams() {
    let mut sidecar = slow("0s", "3600");
    let stream = unread(&sidecar).await;
    sidecar.client().await.shutdown(ShutdownRequest {}).await.unwrap();
    sidecar.wait_until_refused(sidecar.grpc).await;
    assert_finishes(stream).await;
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

#[tokio::test]
async fn sigterm_finishes_server_sent_events() {
    let mut sidecar = slow("100ms", "3600");
    let answer = events(&sidecar, "a b c d e f g h").await;
    sidecar.signal(Signal::TERM);
    let text = answer.text().await.unwrap();
    assert_eq!(text.matches(r#"data: {"chunk":"#).count(), 8, "{text}");
    assert_eq!(text.matches(r#"data: {"complete":"#).count(), 1, "{text}");
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

/// Starts a stream of server-sent events. Returns after the first chunk.
async fn events(sidecar: &Sidecar, text: &str) -> reqwest::Response {
    let url = sidecar.url("/v1.0-alpha2/conversation/echo/converse");
    let request = direct_client().post(url).header("accept", "text/event-stream");
    request.body(body(text)).send().await.unwrap()
}

/// Returns a request body with one user message.
fn body(text: &str) -> String {
    json::write(&request([user(text)])).unwrap()
}

/// The client sends the request message only after the signal.
#[tokio::test]
async fn answers_a_grpc_call_in_flight() {
    let mut sidecar = slow("0s", "3600");
    let channel = Endpoint::new(format!("http://{}", sidecar.grpc)).unwrap().connect_lazy();
    let (release, held) = tokio::sync::oneshot::channel::<ConversationRequestAlpha2>();
    let mut caller = Grpc::new(channel.clone());
    let call = async {
        caller.ready().await.unwrap();
        let message = futures_util::stream::once(async { held.await.unwrap() });
        let path = PathAndQuery::from_static("/dapr.proto.runtime.v1.Dapr/ConverseAlpha2");
        let codec = ProstCodec::<ConversationRequestAlpha2, ConversationResponseAlpha2>::default();
        caller.client_streaming(Request::new(message), path, codec).await
    };
    let stop = async {
        // Calls on one connection stay in order. After this answer, the earlier call has arrived.
        let mut other = DaprClient::new(channel.clone());
        other.converse_alpha2(request([user("second")])).await.unwrap();
        sidecar.signal(Signal::TERM);
        sidecar.wait_until_refused(sidecar.grpc).await;
        release.send(request([user("first")])).unwrap();
    };
    let (answer, ()) = tokio::join!(biased; call, stop);
    assert_eq!(Answer::from(answer.unwrap().into_inner()).content, "first");
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

/// The client sends the request body only after the signal.
#[tokio::test]
async fn answers_an_http_call_in_flight() {
    let mut sidecar = slow("0s", "3600");
    let body = body("late");
    let mut connection = connect(sidecar.http);
    write!(
        connection,
        "POST /v1.0-alpha2/conversation/echo/converse HTTP/1.1\r\nHost: localhost\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        body.len()
    )
    .unwrap();
    let mut answer = BufReader::new(connection.try_clone().unwrap());
    let mut line = String::new();
    answer.read_line(&mut line).unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n", "the server waits for the body");
    sidecar.signal(Signal::TERM);
    sidecar.wait_until_refused(sidecar.http).await;
    connection.write_all(body.as_bytes()).unwrap();
    let mut rest = String::new();
    answer.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("HTTP/1.1 200 OK") && rest.contains(r#""content":"late""#), "{rest}");
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

fn connect(address: SocketAddr) -> TcpStream {
    let connection = TcpStream::connect(address).unwrap();
    connection.set_read_timeout(Some(HANG)).unwrap();
    connection
}

#[tokio::test]
async fn second_signal_exits_immediately() {
    for (first, second) in [(Signal::TERM, Signal::TERM), (Signal::INT, Signal::TERM)] {
        let mut sidecar = slow(FOREVER, "3600");
        let stream = streaming(&sidecar).await;
        sidecar.signal(first);
        sidecar.wait_until_refused(sidecar.grpc).await;
        sidecar.signal(second);
        assert_eq!(sidecar.wait().await.code(), Some(1), "{first:?}, {second:?}");
        assert_aborted(stream).await;
    }
}

#[tokio::test]
async fn aborts_streams_after_the_grace_period() {
    for grace in ["0", "1"] {
        let mut sidecar = slow(FOREVER, grace);
        let stream = streaming(&sidecar).await;
        sidecar.signal(Signal::TERM);
        assert_eq!(sidecar.wait().await.code(), Some(0), "{grace} s");
        assert_aborted(stream).await;
    }
}

#[tokio::test]
async fn idle_connections_do_not_delay_the_exit() {
    let mut sidecar = slow("0s", "3600");
    let mut kept_alive = connect(sidecar.http);
    kept_alive.write_all(b"GET /v1.0/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut status = [0; 12];
    kept_alive.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 204");
    let mut client = sidecar.client().await;
    client.converse_alpha2(request([user("hi")])).await.unwrap();
    let silent = [sidecar.grpc, sidecar.http].map(connect);
    sidecar.signal(Signal::TERM);
    assert_eq!(sidecar.wait().await.code(), Some(0));
    drop((kept_alive, client, silent));
}

#[tokio::test]
async fn incomplete_request_does_not_delay_the_exit() {
    let mut sidecar = slow("0s", "3600");
    let mut half = connect(sidecar.http);
    half.write_all(b"POST /v1.0-alpha2/conv").unwrap();
    // Connections are accepted in order. After this answer, the earlier one has been accepted.
    sidecar.converse(request([user("hi")])).await.unwrap();
    sidecar.signal(Signal::TERM);
    let mut nothing = Vec::new();
    half.read_to_end(&mut nothing).unwrap();
    assert_eq!((nothing.len(), sidecar.wait().await.code()), (0, Some(0)));
}

/// Like a stopped or disconnected client, this one never acknowledges the GOAWAY frame.
#[tokio::test]
async fn unresponsive_http2_client_does_not_delay_the_exit() {
    let mut sidecar = slow("0s", "3600");
    let mut unresponsive = connect(sidecar.grpc);
    let empty_settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    unresponsive.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    unresponsive.write_all(&empty_settings).unwrap();
    // The first frame has the server's settings. After it, the connection is established.
    unresponsive.read_exact(&mut [0; 9]).unwrap();
    sidecar.signal(Signal::TERM);
    assert_eq!(sidecar.wait().await.code(), Some(0));
}

/// The metrics count a stream when it ends. If the cancelled streams ran on, they would end before
/// the last stream and be counted.
#[tokio::test]
async fn cancelled_stream_stops_its_work() {
    let mut sidecar = slow("50ms", "3600");
    let request = request([user(thirty_words().concat().trim_end())]);
    let mut client = sidecar.client().await;
    let mut cancelled = client.converse_stream_alpha2(request.clone()).await.unwrap().into_inner();
    chunk(&mut cancelled).await;
    drop(cancelled);
    drop(events(&sidecar, &thirty_words().concat()).await);
    // The connection of the cancelled stream is still usable.
    let twice = crate::support::messages::request([user(&thirty_words().concat().repeat(2))]);
    let mut stream = client.converse_stream_alpha2(twice).await.unwrap().into_inner();
    for _ in 0..60 {
        chunk(&mut stream).await;
    }
    assert_completes(stream).await;
    let metrics =
        direct_client().get(format!("http://{}/metrics", sidecar.metrics.unwrap())).send().await;
    let metrics = metrics.unwrap().text().await.unwrap();
    assert!(metrics.contains("success=\"true\"} 1\n"), "not one finished stream: {metrics}");
    sidecar.signal(Signal::TERM);
    assert_eq!(sidecar.wait().await.code(), Some(0));
}
