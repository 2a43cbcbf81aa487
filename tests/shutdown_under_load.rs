//! A stop in the middle of much: every call that was accepted is answered, whole.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future;
use mynah::wire::{json, proto::dapr_client::DaprClient};
use rustix::process::Signal;
use tonic::{Code, transport::Channel};

use crate::support::{
    Sidecar,
    messages::{Answer, request, user},
    process::with_timeout,
};

/// Callers of each kind.
const CALLERS: usize = 16;
/// Calls that are answered before the stop.
const BEFORE: usize = 200;

/// Whether a caller may go on: its call was answered, and not refused.
type Answered = bool;

/// A refusal: the connection is closed or closing, and the call never began.
fn is_refusal(status: &tonic::Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled)
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

/// A stream that began comes to its end.
async fn streamed(client: &mut DaprClient<Channel>) -> Answered {
    let asked = request([user(&"word ".repeat(200))]);
    let mut stream = match with_timeout(client.converse_stream_alpha2(asked)).await {
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

/// Over HTTP, a status is the promise of a body.
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
async fn sigterm_under_load_answers_every_accepted_call() {
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
        let client = reqwest::Client::new();
        while posted(&client, &url, &body).await {
            count();
        }
    });
    let stop = async {
        while answered.load(Ordering::Relaxed) < BEFORE {
            tokio::task::yield_now().await;
        }
        sidecar.signal(Signal::TERM);
    };
    tokio::join!(future::join_all(over_grpc), future::join_all(over_http), stop);
    assert_eq!(sidecar.wait().await.code(), Some(0));
}
