//! Responses of the HTTP port.

use std::convert::Infallible;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use futures_util::{Stream, StreamExt, future::BoxFuture};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};

use crate::{api::holding_body::ChargedBody, wire::error::HttpError};

/// The future of a response.
pub(in crate::api) type Responding =
    BoxFuture<'static, Result<http::Response<ChargedBody<Body>>, Infallible>>;

/// Returns a response with JSON.
pub(in crate::api) fn json(body: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

/// Returns a response with server-sent events.
pub(in crate::api) fn events(events: impl Stream<Item = String> + Send + 'static) -> Response {
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(events.map(Ok::<_, Infallible>))).into_response()
}

/// Converts an error in the form of some API.
pub(in crate::api) fn respond(error: HttpError) -> Response {
    let HttpError { status, content_type, retry_after, body } = error;
    let mut response = (status, [(CONTENT_TYPE, content_type)], body).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
