//! Conversations over HTTP: answers with proto JSON, or with server-sent events if they come first
//! in the client's `Accept` header.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use futures_util::{Stream, StreamExt};
use http::{
    HeaderMap, Request,
    header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE},
};
use prost::{Message, Name};

use super::Failure;
use crate::{
    api::{
        http::{body::read, url},
        pipeline,
    },
    base::{
        blocking::{LARGE, run_blocking},
        memory::Charge,
    },
    chat,
    engine::Engine,
    net::RequestBody,
    wire::{
        conversation::DaprRequest,
        error::{Error, json_body},
        headers::call_context,
        json,
        undecoded::Json,
    },
};

/// The index of the path segment that names the component.
const NAME: usize = 2;

pub(super) async fn converse<M: DaprRequest>(
    engine: Arc<Engine>,
    max_body_size: usize,
    charge: Arc<Charge>,
    request: Request<RequestBody>,
) -> Result<Response, Failure> {
    let (head, body) = request.into_parts();
    let body = read(body, max_body_size, &charge).await?;
    let request = Json { component: url::segment(&head.uri, NAME)?, body };
    let context = call_context(&head.headers).with_charge(charge.clone());
    if accepts_events(&head.headers) {
        return Ok(events::<M>(pipeline::stream::<M, _, _>(&engine, request, context).await?));
    }
    let answer = pipeline::converse::<M>(&engine, request, context).await?;
    let body = write(answer).await?;
    charge.set(body.len());
    charge.check()?;
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}

/// Writes a message as JSON, on a blocking thread if the message is large.
async fn write<M: Message + Name + json::FastWrite + 'static>(message: M) -> Result<String, Error> {
    if message.encoded_len() <= LARGE {
        return json::write_response(&message);
    }
    // Boxed, so that the future of a call with a small message stays small.
    let written = Box::pin(run_blocking(move || json::write_response(&message))).await;
    written.map_err(|it| pipeline::panicked("writer", it))?
}

/// Returns `true` if the first media type in `Accept` is `text/event-stream`.
fn accepts_events(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let first = accept.split([',', ';']).next().unwrap_or_default();
    first.trim().eq_ignore_ascii_case("text/event-stream")
}

fn events<M: DaprRequest>(
    messages: impl Stream<Item = Result<M::StreamResponse, chat::Error>> + Send + 'static,
) -> Response {
    let events = messages.then(async |message| Ok::<_, Infallible>(event::<M>(message).await));
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(events)).into_response()
}

async fn event<M: DaprRequest>(message: Result<M::StreamResponse, chat::Error>) -> String {
    let json = match message {
        Ok(message) => write(message).await,
        Err(error) => Err(error.into()),
    };
    match json {
        Ok(json) => format!("data: {json}\n\n"),
        Err(error) => format!("event: error\ndata: {}\n\n", json_body(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_events_if_they_come_first() {
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
            assert_eq!(accepts_events(&headers), expected, "{accept}");
        }
        assert!(!accepts_events(&HeaderMap::new()));
    }
}
