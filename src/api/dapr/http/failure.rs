//! Errors as HTTP responses in daprd's form.

use axum::response::{IntoResponse, Response};

use crate::{
    api::http::response::respond,
    wire::error::{Error, HttpError},
};

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
        respond(HttpError::from(&self.0))
    }
}
