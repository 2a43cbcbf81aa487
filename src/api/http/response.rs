//! Responses of the HTTP port.

use std::convert::Infallible;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use futures_util::future::BoxFuture;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};

use crate::{api::charged_body::ChargedBody, wire::error::HttpError};

/// The future of a response.
pub(in crate::api) type Responding =
    BoxFuture<'static, Result<http::Response<ChargedBody<Body>>, Infallible>>;

/// Converts an error in the form of some API.
pub(in crate::api) fn respond(error: HttpError) -> Response {
    let HttpError { status, content_type, retry_after, body } = error;
    let mut response = (status, [(CONTENT_TYPE, content_type)], body).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
