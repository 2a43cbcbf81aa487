//! Responses of the HTTP port.

use std::convert::Infallible;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use futures_util::{
    Stream, StreamExt,
    future::{self, BoxFuture},
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use http_body_util::StreamBody;
use hyper::body::Frame;

use crate::{
    base::delivery::Delivery,
    net::TransportCall,
    wire::error::{ControlError, Error, HttpError},
};

/// Sent to OpenAI's clients, which prefer it to `Retry-After`.
const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

/// The future of a response.
pub(crate) type Responding = BoxFuture<'static, Result<Response, Infallible>>;

/// Returns a response with JSON.
pub(crate) fn json(body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns a response with server-sent events. It breaks off if an error is not delivered as an event.
pub(crate) fn events(
    call: TransportCall,
    events: impl Stream<Item = Result<String, Delivery>> + Send + 'static,
) -> Response {
    event_stream(events.scan(call, |call, event| {
        future::ready(event.map_err(|delivery| call.deliver(delivery)).ok())
    }))
}

/// Returns a response with server-sent events.
pub(crate) fn event_stream(events: impl Stream<Item = String> + Send + 'static) -> Response {
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    let frames = events.map(|event| Ok::<_, Infallible>(Frame::data(event.into())));
    (headers, Body::new(StreamBody::new(frames))).into_response()
}

/// Returns the response to a call that fails, in the form of some API.
pub(crate) fn fail(
    call: &TransportCall,
    error: &Error,
    form: impl FnOnce(&Error) -> HttpError,
) -> Response {
    call.deliver(error.delivery());
    if error.delivery().is_early() {
        return ([(CONTENT_TYPE, "application/json")], Body::empty()).into_response();
    }
    respond(form(error))
}

impl IntoResponse for Error {
    /// Converts an error in daprd's form.
    fn into_response(self) -> Response {
        respond(HttpError::from(&self))
    }
}

impl IntoResponse for ControlError {
    fn into_response(self) -> Response {
        respond(HttpError::from(&self))
    }
}

/// Converts an error in the form of some API.
pub(crate) fn respond(error: HttpError) -> Response {
    let HttpError { status, content_type, retry_after, retry_after_ms, body } = error;
    let mut response = (status, [(CONTENT_TYPE, content_type)], body).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(wait) = retry_after_ms {
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        response.headers_mut().insert(RETRY_AFTER_MS, HeaderValue::from(millis));
    }
    response
}
