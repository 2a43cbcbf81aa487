//! Responses of the HTTP port.

use std::convert::Infallible;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{
    Stream, StreamExt,
    future::{self, BoxFuture},
    stream,
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http_body_util::StreamBody;
use hyper::body::Frame;

use crate::{
    api::{delivery::early_ending, holding_body::ChargedBody},
    base::ending::Ending,
    net::last_frame,
    wire::error::HttpError,
};

/// The future of a response.
pub(in crate::api) type Responding =
    BoxFuture<'static, Result<http::Response<ChargedBody<Body>>, Infallible>>;

/// Returns a response with JSON.
pub(in crate::api) fn json(body: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

/// Returns a response with server-sent events.
pub(in crate::api) fn events(
    events: impl Stream<Item = Result<String, Ending>> + Send + 'static,
) -> Response {
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    let frame = |event: Result<String, Ending>| match event {
        Ok(event) => Frame::data(event.into()),
        Err(ending) => last_frame(ending),
    };
    (headers, frames(events.map(frame))).into_response()
}

fn frames(frames: impl Stream<Item = Frame<Bytes>> + Send + 'static) -> Body {
    Body::new(StreamBody::new(frames.map(Ok::<_, Infallible>)))
}

/// Converts an error in the form of some API.
pub(in crate::api) fn respond(error: HttpError) -> Response {
    let HttpError { status, content_type, retry_after, body, delivery } = error;
    if let Some(ending) = early_ending(delivery) {
        let body = frames(stream::once(future::ready(last_frame(ending))));
        return ([(CONTENT_TYPE, "application/json")], body).into_response();
    }
    let mut response = (status, [(CONTENT_TYPE, content_type)], body).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
