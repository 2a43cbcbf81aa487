//! `/v1.0-alpha1` and `/v1.0-alpha2/conversation/{name}/converse`: proto JSON, or server-sent
//! events where the client asks for them first.

use std::sync::Arc;

use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
    response::{IntoResponse, Response},
};
use futures_util::{Stream, StreamExt};
use http::{
    HeaderMap, Request,
    header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use prost::{Message, Name};
use tokio::sync::Semaphore;

use super::{Failure, url};
use crate::{
    api::{pipeline, sidecar::Sidecar},
    base::{
        blocking::{LARGE, run_blocking},
        clock,
        timeouts::BODY_TIMEOUT,
    },
    chat,
    wire::{error::Error, json, proto},
};

/// Reading JSON takes up to 150 times its size for a moment: where it is nothing but tiny objects,
/// and ends in what only the exact way reads. So large bodies take turns.
static LARGE_BODIES: Semaphore = Semaphore::const_new(1);

/// Where the name of the component stands in the path.
const NAME: usize = 2;

pub(super) async fn alpha1(
    sidecar: Arc<Sidecar>,
    request: Request<Incoming>,
) -> Result<Response, Failure> {
    let (head, body) = request.into_parts();
    let mut request: proto::ConversationRequest = read(&sidecar, body).await?;
    request.name = url::segment(&head.uri, NAME)?;
    if wants_events(&head.headers) {
        return Ok(events(pipeline::stream_alpha1(&sidecar, request).await?));
    }
    answer(&pipeline::alpha1(&sidecar, request).await?)
}

pub(super) async fn alpha2(
    sidecar: Arc<Sidecar>,
    request: Request<Incoming>,
) -> Result<Response, Failure> {
    let (head, body) = request.into_parts();
    let mut request: proto::ConversationRequestAlpha2 = read(&sidecar, body).await?;
    request.name = url::segment(&head.uri, NAME)?;
    if wants_events(&head.headers) {
        return Ok(events(pipeline::stream_alpha2(&sidecar, request).await?));
    }
    answer(&pipeline::alpha2(&sidecar, request).await?)
}

async fn read<M: Message + Name + json::FastRead + 'static>(
    sidecar: &Sidecar,
    body: Incoming,
) -> Result<M, Error> {
    let body = read_body(body, sidecar.max_body_size).await?;
    if body.len() <= LARGE {
        return json::read_request(&body);
    }
    // The semaphore is never closed.
    let turn = LARGE_BODIES.acquire().await;
    let read = run_blocking(move || {
        // Not over when the client goes, but when the body is read.
        let _turn = turn;
        json::read_request(&body)
    });
    read.await.unwrap_or_else(|_| Err(Error::BodyRead("its reader failed".to_owned())))
}

/// The whole body, unless it is longer than `limit` bytes, or long in coming.
pub(super) async fn read_body<B>(body: B, limit: usize) -> Result<Bytes, Error>
where
    B: HttpBody<Error: Into<BoxError>>,
{
    let read = clock::within(BODY_TIMEOUT, Limited::new(body, limit).collect()).await;
    read.ok_or(Error::BodyTimeout)?.map(|body| body.to_bytes()).map_err(|error| {
        let too_large = error.is::<LengthLimitError>();
        // daprd's words for a body over the limit
        let reason = if too_large { "stream too large".to_owned() } else { error.to_string() };
        Error::BodyRead(reason)
    })
}

fn answer<M: Message + Name + json::FastWrite>(message: &M) -> Result<Response, Failure> {
    let body = json::write_response(message)?;
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}

/// Whether the first media type in Accept is that of server-sent events.
fn wants_events(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let first = accept.split([',', ';']).next().unwrap_or_default();
    first.trim().eq_ignore_ascii_case("text/event-stream")
}

fn events<M: Message + Name + json::FastWrite + Send + 'static>(
    messages: impl Stream<Item = Result<M, chat::Error>> + Send + 'static,
) -> Response {
    let events = messages.map(|message| Ok::<_, std::convert::Infallible>(event(message)));
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(events)).into_response()
}

fn event<M: Message + Name + json::FastWrite>(message: Result<M, chat::Error>) -> String {
    let message = message.map_err(Error::from);
    match message.and_then(|message| json::write_response(&message)) {
        Ok(json) => format!("data: {json}\n\n"),
        Err(error) => format!("event: error\ndata: {}\n\n", Failure(error).body()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_wanted_where_they_come_first() {
        let cases = [
            ("text/event-stream", true),
            ("text/event-stream, application/json", true),
            ("Text/Event-Stream;q=0.9", true),
            ("application/json, text/event-stream", false),
            ("*/*", false),
            ("", false),
        ];
        for (accept, expected) in cases {
            let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
            assert_eq!(wants_events(&headers), expected, "{accept}");
        }
        assert!(!wants_events(&HeaderMap::new()));
    }
}
