//! Errors of the control API as HTTP responses.

use axum::response::{IntoResponse, Response};

use crate::{
    api::http::response::respond,
    wire::error::{ControlError, HttpError},
};

/// An error that a handler returns.
#[derive(Debug)]
pub(super) struct Failure(ControlError);

impl Failure {
    /// Creates the error for an invalid request.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self(ControlError::Invalid(message.into()))
    }
}

impl<E: Into<ControlError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        respond(HttpError::from(&self.0))
    }
}
