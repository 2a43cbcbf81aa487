//! The load generator, which keeps connections open and makes calls over them as fast as possible.
//!
//! Requests are encoded once. Answers are not decoded: only their status and length are checked,
//! because `check` has already verified the content.

#![expect(clippy::disallowed_methods, reason = "load is measured in wall-clock time")]

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use bytes::{BufMut, Bytes, BytesMut};
use h2::client::SendRequest;
use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use mynah_bench::cases::{Call, Case};
use prost::Message;
use tokio::{net::TcpStream, task::JoinSet};

/// The flow control window of a connection, in bytes.
const WINDOW: u32 = 16 * 1024 * 1024;

/// The interval between attempts to call a server that is starting, and their maximum number.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const MAX_POLLS: usize = 1_000;

/// The number of connections, and the number of calls in flight on each. HTTP/1.1 allows one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Concurrency {
    pub(crate) connections: usize,
    pub(crate) streams: usize,
}

/// One call at a time.
pub(crate) const SINGLE: Concurrency = Concurrency { connections: 1, streams: 1 };
/// 32 calls in flight.
pub(crate) const MEDIUM: Concurrency = Concurrency { connections: 8, streams: 4 };
/// 256 calls in flight.
pub(crate) const HIGH: Concurrency = Concurrency { connections: 8, streams: 32 };

/// The load generator: a set of callers, each with one call in flight.
#[derive(Debug)]
pub(crate) struct Client(Vec<Caller>);

/// Makes one call at a time.
#[derive(Debug)]
struct Caller {
    sender: Sender,
    /// The requests to send in turn, and the next of them.
    requests: Vec<Exchange>,
    next: usize,
    /// The number of the next session, if each call has one of its own.
    session: Option<u32>,
}

/// A request and its answer.
#[derive(Debug, Clone)]
struct Exchange {
    request: Bytes,
    /// The length of the first answer in bytes. All other answers must have the same length.
    answer_length: Option<usize>,
}

#[derive(Debug)]
enum Sender {
    Grpc { connection: SendRequest<Bytes>, head: Request<()> },
    Json { connection: http1::SendRequest<Full<Bytes>>, head: Request<()> },
}

/// The calls made in one time slice.
#[derive(Debug, Default)]
pub(crate) struct Slice {
    pub(crate) seconds: f64,
    /// The latency of each call in nanoseconds.
    pub(crate) latencies: Vec<u32>,
}

impl Client {
    /// Opens all connections.
    pub(crate) async fn connect(
        address: SocketAddr,
        case: Case,
        concurrency: Concurrency,
    ) -> anyhow::Result<Self> {
        let method = if case == Case::Stream { "ConverseStreamAlpha2" } else { "ConverseAlpha2" };
        Self::connect_to(address, method, case, concurrency).await
    }

    /// Opens connections to a server that may still be starting. `method` is that of calls over gRPC.
    pub(crate) async fn connect_when_served(
        address: SocketAddr,
        method: &str,
        case: Case,
        concurrency: Concurrency,
    ) -> anyhow::Result<Self> {
        let mut last = None;
        for _ in 0..MAX_POLLS {
            let client = async {
                let mut client = Self::connect_to(address, method, case, concurrency).await?;
                client.call_times(1).await?;
                anyhow::Ok(client)
            };
            match client.await {
                Ok(client) => return Ok(client),
                Err(error) => last = Some(error),
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Err(last.context("no attempt")?.context("no answer"))
    }

    /// Opens all connections for calls of a method.
    async fn connect_to(
        address: SocketAddr,
        method: &str,
        case: Case,
        concurrency: Concurrency,
    ) -> anyhow::Result<Self> {
        let mut senders = Vec::new();
        let requests = bodies(case)?;
        for _ in 0..concurrency.connections {
            if let Some(path) = case.http_path() {
                senders.push(Sender::json(address, path).await?);
            } else {
                let sender = Sender::grpc(address, method).await?;
                senders.extend((0..concurrency.streams).map(|_| sender.share()));
            }
        }
        let session = (case == Case::Sessions).then_some(0);
        let caller = |(at, sender)| {
            let requests = requests.clone();
            Caller { sender, next: at % requests.len(), requests, session }
        };
        Ok(Self(senders.into_iter().enumerate().map(caller).collect()))
    }

    /// Makes calls from all callers for the duration `time`, as fast as possible.
    pub(crate) async fn run(&mut self, time: Duration) -> anyhow::Result<Slice> {
        self.run_at(f64::INFINITY, time).await
    }

    /// Makes at most `rate` calls a second from all callers together, for the duration `time`.
    pub(crate) async fn run_at(&mut self, rate: f64, time: Duration) -> anyhow::Result<Slice> {
        let start = Instant::now();
        let callers = self.0.len() as f64;
        let interval = Duration::from_secs_f64(callers / rate);
        let mut calls = JoinSet::new();
        for (at, caller) in self.0.drain(..).enumerate() {
            let first = start + interval.mul_f64(at as f64 / callers);
            calls.spawn(caller.run(first, interval, start + time));
        }
        let mut slice = Slice::default();
        while let Some(done) = calls.join_next().await {
            let (caller, latencies) = done??;
            self.0.push(caller);
            slice.latencies.extend(latencies);
        }
        slice.seconds = start.elapsed().as_secs_f64();
        Ok(slice)
    }

    /// Makes sequential calls from the first caller.
    pub(crate) async fn call_times(&mut self, calls: usize) -> anyhow::Result<()> {
        let caller = self.0.first_mut().context("there is no caller")?;
        for _ in 0..calls {
            caller.call().await?;
        }
        Ok(())
    }
}

impl Caller {
    /// Makes calls until `end`: the first one at `first`, and the others not more often than once in
    /// an interval. Returns their latencies.
    async fn run(
        mut self,
        first: Instant,
        interval: Duration,
        end: Instant,
    ) -> anyhow::Result<(Self, Vec<u32>)> {
        let (mut latencies, mut due) = (Vec::new(), first);
        let mut now = Instant::now();
        while now < end {
            if due > now {
                tokio::time::sleep_until(due.into()).await;
                now = Instant::now();
            }
            due += interval;
            self.call().await?;
            let done = Instant::now();
            latencies.push((done - now).as_nanos().min(u128::from(u32::MAX)) as u32);
            now = done;
        }
        Ok((self, latencies))
    }

    async fn call(&mut self) -> anyhow::Result<()> {
        let count = self.requests.len();
        let exchange = &mut self.requests[self.next];
        self.next = (self.next + 1) % count;
        if let Some(session) = &mut self.session {
            self.sender.head().insert("mynah-session", format!("test-{session:05}").parse()?);
            *session += 1;
        }
        let length = self.sender.call(exchange.request.clone()).await?;
        let expected = *exchange.answer_length.get_or_insert(length);
        ensure!(length == expected, "an answer has {length} bytes instead of {expected}");
        Ok(())
    }
}

impl Sender {
    async fn grpc(address: SocketAddr, method: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
        let (sender, connection) = builder.handshake(stream).await?;
        tokio::spawn(connection);
        let head = Request::post(format!("http://{address}/dapr.proto.runtime.v1.Dapr/{method}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())?;
        Ok(Self::Grpc { connection: sender, head })
    }

    async fn json(address: SocketAddr, path: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let head = Request::builder().method(Method::POST).uri(path);
        let head = head.header("host", address.to_string());
        let head = head.header("content-type", "application/json").body(())?;
        Ok(Self::Json { connection: sender, head })
    }

    /// Returns another sender on the same HTTP/2 connection.
    fn share(&self) -> Self {
        match self {
            Self::Grpc { connection, head } => {
                Self::Grpc { connection: connection.clone(), head: head.clone() }
            }
            Self::Json { .. } => unreachable!("HTTP/1.1 connections are not shared"),
        }
    }

    /// Returns the headers of the next call.
    fn head(&mut self) -> &mut HeaderMap {
        let (Self::Grpc { head, .. } | Self::Json { head, .. }) = self;
        head.headers_mut()
    }

    /// Makes a call and returns the length of the answer in bytes.
    async fn call(&mut self, request: Bytes) -> anyhow::Result<usize> {
        match self {
            Self::Grpc { connection, head } => grpc(connection, head.clone(), request).await,
            Self::Json { connection, head } => {
                let request = head.clone().map(|()| Full::new(request));
                connection.ready().await?;
                let response = connection.send_request(request).await?;
                ensure!(response.status() == 200, "HTTP status {}", response.status());
                Ok(response.into_body().collect().await?.to_bytes().len())
            }
        }
    }
}

async fn grpc(
    connection: &mut SendRequest<Bytes>,
    head: Request<()>,
    request: Bytes,
) -> anyhow::Result<usize> {
    std::future::poll_fn(|context| connection.poll_ready(context)).await?;
    let (response, mut send) = connection.send_request(head, false)?;
    send.send_data(request, true)?;
    let mut body = response.await?.into_body();
    let mut length = 0;
    while let Some(data) = body.data().await {
        let data = data?;
        length += data.len();
        body.flow_control().release_capacity(data.len())?;
    }
    let trailers = body.trailers().await?;
    match trailers.as_ref().and_then(|trailers| trailers.get("grpc-status")) {
        Some(status) if status == "0" => Ok(length),
        status => bail!("gRPC status {status:?}"),
    }
}

/// Returns the requests of a case.
fn bodies(case: Case) -> anyhow::Result<Vec<Exchange>> {
    let exchange = |call: &Call| {
        let request = match case.http_path() {
            Some(_) => call.body(case).to_string().into(),
            None => frame(call)?,
        };
        Ok(Exchange { request, answer_length: None })
    };
    case.calls()?.iter().map(exchange).collect()
}

/// Returns a length-prefixed gRPC message.
fn frame(call: &Call) -> anyhow::Result<Bytes> {
    let message = call.message()?;
    let mut frame = BytesMut::new();
    frame.put_u8(0);
    frame.put_u32(message.encoded_len().try_into()?);
    message.encode(&mut frame)?;
    Ok(frame.freeze())
}
