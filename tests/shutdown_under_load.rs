//! Tests that every accepted call gets a complete answer during a shutdown under load.

use std::{
    error::Error,
    io::{self, ErrorKind},
    iter::successors,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

use futures_util::future::{join, join_all};
use mynah::internals::wire::{json, proto::dapr_client::DaprClient};
use rustix::process::Signal;
use tokio::sync::Notify;
use tonic::transport::Channel;

use crate::support::{
    Sidecar,
    attacks::{is_full_scale, report_row},
    http1::{Connection, Response},
    messages::{Answer, request, user},
    process::with_timeout,
};

/// The number of callers of each kind.
const CALLERS: u32 = 16;
/// The number of answered calls before the signal.
const CALLS_BEFORE_SIGNAL: usize = 200;
const PATH: &str = "/v1.0-alpha2/conversation/echo/converse";

/// `true` if a call was answered. `false` if it was refused, after which the caller stops.
type Answered = bool;

/// Returns `true` if the server did not accept the call: it refused the connection, or the
/// connection was already closed or closing. A call that is cut later was accepted.
fn is_refusal(status: &tonic::Status) -> bool {
    let mut causes = successors(status.source(), |&error| error.source());
    causes.any(|cause| {
        let is_refused = |error: &io::Error| error.kind() == ErrorKind::ConnectionRefused;
        cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled)
            || cause.downcast_ref().is_some_and(is_refused)
            || cause.downcast_ref().is_some_and(is_beyond_goaway)
    })
}

/// Returns `true` if the server has announced that it does not answer the call.
fn is_beyond_goaway(error: &h2::Error) -> bool {
    let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    is_refused || (error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR))
}

async fn unary(client: &mut DaprClient<Channel>) -> Answered {
    match with_timeout(client.converse_alpha2(request([user("one two three")]))).await {
        Ok(answer) => {
            assert_eq!(Answer::from(answer.into_inner()).content, "one two three");
            true
        }
        Err(status) => {
            assert!(is_refusal(&status), "{status:?}");
            false
        }
    }
}

/// Requests a stream, which must be complete if it starts.
async fn streamed(client: &mut DaprClient<Channel>) -> Answered {
    let request = request([user(&"word ".repeat(200))]);
    let mut stream = match with_timeout(client.converse_stream_alpha2(request)).await {
        Ok(stream) => stream.into_inner(),
        Err(status) => {
            assert!(is_refusal(&status), "{status:?}");
            return false;
        }
    };
    let mut messages = 0;
    while with_timeout(stream.message()).await.unwrap().is_some() {
        messages += 1;
    }
    assert_eq!(messages, 201);
    true
}

/// Sends SIGTERM when enough calls are answered.
async fn stop(sidecar: &Sidecar, answered: &AtomicUsize) {
    while answered.load(Relaxed) < CALLS_BEFORE_SIGNAL {
        tokio::task::yield_now().await;
    }
    sidecar.signal(Signal::TERM);
}

/// Stops sidecars under load. `calls_until_sigterm` stops one and returns the number of answered
/// calls.
async fn stop_repeatedly(clients: &str, calls_until_sigterm: impl AsyncFn() -> usize) {
    let stops = if is_full_scale() { 20 } else { 1 };
    let mut answered = 0;
    for _ in 0..stops {
        answered += calls_until_sigterm().await;
    }
    let attack = format!("{stops} times SIGTERM while {clients} clients call");
    report_row(&[&attack, &format!("{answered} calls answered, none lost")]);
}

#[tokio::test]
async fn answers_every_accepted_grpc_call_after_sigterm() {
    stop_repeatedly("gRPC", grpc_calls_until_sigterm).await;
}

/// Stops a sidecar under load, and returns the number of answered calls.
async fn grpc_calls_until_sigterm() -> usize {
    let mut sidecar = Sidecar::start_with(&["--dapr-graceful-shutdown-seconds", "3600"]);
    let answered = AtomicUsize::new(0);
    let mut clients = Vec::new();
    for _ in 0..CALLERS {
        clients.push(sidecar.client().await);
    }
    let callers = clients.iter().map(async |client| {
        let (mut one, mut two) = (client.clone(), client.clone());
        while unary(&mut one).await && streamed(&mut two).await {
            answered.fetch_add(1, Relaxed);
        }
    });
    join(join_all(callers), stop(&sidecar, &answered)).await;
    assert_eq!(sidecar.wait().await.code(), Some(0));
    2 * answered.into_inner()
}

/// The calls of HTTP/1 clients.
struct Calls<'a> {
    sidecar: &'a Sidecar,
    body: String,
    answered: AtomicUsize,
    signalled: Notify,
}

impl Calls<'_> {
    async fn connect(&self) -> Option<Connection> {
        with_timeout(Connection::open(self.sidecar.http)).await
    }

    /// Makes a call, which must be answered: the server has accepted the connection.
    async fn post(&self, connection: &mut Connection, headers: &str) -> Response {
        let answer: io::Result<Response> =
            with_timeout(connection.post(PATH, headers, &self.body)).await;
        let answer = answer.expect("the call is lost");
        assert!(answer.status == 200 && answer.body.contains("three"), "{answer:?}");
        self.answered.fetch_add(1, Relaxed);
        answer
    }

    async fn over_one_connection(&self, headers: &str) {
        let mut connection = self.connect().await.unwrap();
        while !self.post(&mut connection, headers).await.is_last {}
    }

    async fn over_a_connection_each(&self) {
        while let Some(mut connection) = self.connect().await {
            self.post(&mut connection, "Connection: close\r\n").await;
        }
    }

    /// Connects before the signal, and calls a while after it.
    #[expect(clippy::disallowed_methods, reason = "the calls arrive throughout a shutdown")]
    async fn after_the_signal(&self, delay: Duration) {
        let mut connection = self.connect().await.unwrap();
        self.signalled.notified().await;
        tokio::time::sleep(delay).await;
        while !self.post(&mut connection, "").await.is_last {}
    }
}

#[tokio::test]
async fn answers_every_accepted_http_call_after_sigterm() {
    stop_repeatedly("HTTP/1.1", http_calls_until_sigterm).await;
}

/// Stops a sidecar under load, and returns the number of answered calls.
async fn http_calls_until_sigterm() -> usize {
    let mut sidecar = Sidecar::start_with(&["--dapr-graceful-shutdown-seconds", "3600"]);
    let body = json::write(&request([user("one two three")])).unwrap();
    let answered = AtomicUsize::new(0);
    let calls = Calls { sidecar: &sidecar, body, answered, signalled: Notify::new() };
    let callers = (0..CALLERS).map(async |number| {
        tokio::join!(
            calls.over_one_connection(""),
            calls.over_one_connection("Accept: text/event-stream\r\n"),
            calls.over_a_connection_each(),
            calls.after_the_signal(Duration::from_millis(10) * number),
        )
    });
    let stop = async {
        stop(&sidecar, &calls.answered).await;
        calls.signalled.notify_waiters();
    };
    join(join_all(callers), stop).await;
    let answered = calls.answered.into_inner();
    assert_eq!(sidecar.wait().await.code(), Some(0));
    answered
}
