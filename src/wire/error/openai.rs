//! OpenAI's API: maps every error to an HTTP response.
//!
//! Source: <https://platform.openai.com/docs/guides/error-codes>.

use std::borrow::Cow;

use http::StatusCode;
use serde::Serialize;

use super::{Error, HttpError, dapr_http::retry_after};
use crate::chat::{self, InvalidParams::History};

#[derive(Serialize)]
struct Body<'a> {
    error: Inner<'a>,
}

#[derive(Serialize)]
struct Inner<'a> {
    message: Cow<'a, str>,
    r#type: &'static str,
    param: Option<&'a str>,
    code: Option<&'a str>,
}

impl HttpError {
    /// Converts an error to the form of OpenAI's API.
    pub(crate) fn openai(error: &Error) -> Self {
        let (status, kind) = status(error);
        let param = match error {
            Error::InvalidRequest { param, .. } => param.as_deref(),
            Error::PreviousResponseNotFound(_) => Some("previous_response_id"),
            Error::ItemNotFound(_) => Some("input"),
            Error::Chat(chat::Error::InvalidParams { reason: History(_), .. }) => Some("messages"),
            _ => None,
        };
        let message = error.provider_message();
        let body = Body { error: Inner { message, r#type: kind, param, code: code(error) } };
        Self {
            status,
            content_type: "application/json",
            retry_after: retry_after(error),
            retry_after_ms: error.retry_after().filter(|wait| wait.subsec_nanos() > 0),
            // Serializing texts cannot fail.
            body: serde_json::to_string(&body).unwrap_or_default(),
        }
    }
}

/// What the stream of a response tells of an error.
impl Error {
    /// Returns the message.
    pub(crate) fn openai_message(&self) -> Cow<'_, str> {
        self.provider_message()
    }

    /// Returns the machine-readable cause.
    pub(crate) fn openai_code(&self) -> Option<&str> {
        code(self)
    }

    /// Returns the cause for which a response has failed.
    pub(crate) fn openai_failure(&self) -> &'static str {
        match status(self).0 {
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_exceeded",
            _ => "server_error",
        }
    }
}

/// Returns the HTTP status and the type of an error.
fn status(error: &Error) -> (StatusCode, &'static str) {
    use StatusCode as Http;
    let status = match error {
        Error::Chat(chat::Error::UnknownComponent(_)) => Http::NOT_FOUND,
        error => error.codes().1,
    };
    let kind = match status {
        Http::UNAUTHORIZED => "authentication_error",
        Http::FORBIDDEN => "permission_error",
        Http::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_client_error() => "invalid_request_error",
        _ => "server_error",
    };
    (status, kind)
}

/// Returns the machine-readable cause.
fn code(error: &Error) -> Option<&str> {
    match error {
        Error::UnknownModel { .. } | Error::Chat(chat::Error::UnknownComponent(_)) => {
            Some("model_not_found")
        }
        Error::Unauthorized(_) => Some("invalid_api_key"),
        Error::PreviousResponseNotFound(_) => Some("previous_response_not_found"),
        Error::Chat(chat::Error::Provider { error, .. }) => {
            error.details.as_ref().map(|details| details.reason.as_str())
        }
        _ => None,
    }
}
