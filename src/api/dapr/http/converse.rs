//! Conversations over HTTP: answers with proto JSON, or with server-sent events if they come first
//! in the client's `Accept` header.

use std::sync::Arc;

use axum::response::Response;
use futures_util::StreamExt;
use http::{HeaderMap, Request, header::ACCEPT};
use prost::{Message, Name};

use crate::{
    api::{
        http::{
            body::read,
            response::{self, events},
            url,
        },
        pipeline,
    },
    base::delivery::Delivery,
    chat,
    engine::Engine,
    net::RequestBody,
    provider::call::Surface,
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
    request: Request<RequestBody>,
) -> Result<Response, Error> {
    let (head, body) = request.into_parts();
    let call = body.call().clone();
    let body = read(body, max_body_size, call.charge()).await?;
    let request = Json { component: url::segment(&head.uri, NAME)?, body };
    let context = call_context(Surface::Http, &head.headers, call.charge());
    if accepts_events(&head.headers) {
        let messages = pipeline::stream::<M, _, _>(&engine, request, context).await?;
        return Ok(events(call, messages.then(event::<M>)));
    }
    let answer = pipeline::converse::<M>(&engine, request, context).await?;
    let body = write(answer).await?;
    call.charge().set(body.len())?;
    Ok(response::json(body))
}

/// Writes a message as JSON.
async fn write<M: Message + Name + json::FastWrite + 'static>(message: M) -> Result<String, Error> {
    pipeline::encode(message.encoded_len(), move || json::write_response(&message)).await
}

/// Returns `true` if the first media type in `Accept` is `text/event-stream`.
fn accepts_events(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let first = accept.split([',', ';']).next().unwrap_or_default();
    first.trim().eq_ignore_ascii_case("text/event-stream")
}

async fn event<M: DaprRequest>(
    message: Result<M::StreamResponse, chat::Error>,
) -> Result<String, Delivery> {
    let json = match message {
        Ok(message) => write(message).await,
        Err(error) => Err(error.into()),
    };
    match json {
        Ok(json) => Ok(format!("data: {json}\n\n")),
        Err(error) if error.delivery().is_early() => Err(error.delivery()),
        Err(error) => Ok(format!("event: error\ndata: {}\n\n", json_body(&error))),
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
