//! Errors as HTTP responses.

use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};

use crate::wire::error::{Error, HttpError};

/// An error that a handler returns.
#[derive(Debug)]
pub(super) struct Failure(Error);

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let HttpError { status, content_type, retry_after, body } = HttpError::from(&self.0);
        let mut response = (status, [(CONTENT_TYPE, content_type)], body).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
