//! Tests that every accepted call gets a complete answer during a shutdown under load.

use std::{
    error::Error,
    io::{self, ErrorKind},
    iter::successors,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures_util::future;
use mynah::internals::wire::{json, proto::dapr_client::DaprClient};
use rustix::process::Signal;
use tonic::transport::Channel;

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{Answer, request, user},
    process::with_timeout,
};

/// The number of callers of each kind.
const CALLERS: usize = 16;
/// The number of answered calls before the signal.
const CALLS_BEFORE_SIGNAL: usize = 200;

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

/// Posts a request. If the response has a status, its body must be complete.
async fn posted(client: &reqwest::Client, url: &str, body: &str) -> Answered {
    let Ok(answer) = with_timeout(client.post(url).body(body.to_owned()).send()).await else {
        return false;
    };
    assert_eq!(answer.status(), 200);
    let text = with_timeout(answer.text()).await.unwrap();
    assert!(text.contains("one two three"), "{text}");
    true
}

#[tokio::test]
async fn answers_every_accepted_call_after_sigterm() {
    let mut sidecar = Sidecar::start_with(&["--dapr-graceful-shutdown-seconds", "3600"]);
    let answered = AtomicUsize::new(0);
    let count = || answered.fetch_add(1, Ordering::Relaxed);
    let mut clients = Vec::new();
    for _ in 0..CALLERS {
        clients.push(sidecar.client().await);
    }
    let url = sidecar.url("/v1.0-alpha2/conversation/echo/converse");
    let body = json::write(&request([user("one two three")])).unwrap();
    let over_grpc = clients.iter().map(async |client| {
        let (mut one, mut two) = (client.clone(), client.clone());
        while unary(&mut one).await && streamed(&mut two).await {
            count();
        }
    });
    let over_http = (0..CALLERS).map(async |_| {
        let client = direct_client();
        while posted(&client, &url, &body).await {
            count();
        }
    });
    let stop = async {
        while answered.load(Ordering::Relaxed) < CALLS_BEFORE_SIGNAL {
            tokio::task::yield_now().await;
        }
        sidecar.signal(Signal::TERM);
    };
    tokio::join!(future::join_all(over_grpc), future::join_all(over_http), stop);
    assert_eq!(sidecar.wait().await.code(), Some(0));
}
