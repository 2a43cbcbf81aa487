//! Errors as HTTP responses, in the forms of daprd, of OpenAI's API and of the control API.
//!
//! Source: <https://platform.openai.com/docs/guides/error-codes>.

use std::{borrow::Cow, time::Duration};

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use thiserror::Error as ThisError;

use super::{Error, dapr::provider_details};
use crate::{
    base::{blocking::Panicked, work::Stopped},
    chat::{
        self,
        InvalidParams::{Choices, History},
    },
    wire::{json, rpc},
};

/// An error in the form that daprd sends over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpError {
    /// The HTTP status.
    pub status: StatusCode,
    /// The media type of the body.
    pub content_type: &'static str,
    /// The value of the `Retry-After` header: the number of seconds after which to retry.
    pub retry_after: Option<u64>,
    /// The value of the `retry-after-ms` header, which only OpenAI's clients know.
    pub retry_after_ms: Option<Duration>,
    /// The body.
    pub body: String,
}

/// daprd's JSON body for an error.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    error_code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

impl From<&Error> for HttpError {
    fn from(error: &Error) -> Self {
        const TEXT: &str = "text/plain; charset=utf-8";
        let (content_type, body) = match error {
            Error::MalformedPath(_) => (TEXT, error.message()),
            Error::Unauthorized(_) => (TEXT, "invalid api token\n".to_owned()),
            _ => ("application/json", json_body(error)),
        };
        let (_, status, _) = error.codes();
        let retry_after = retry_after(error);
        Self { status, content_type, retry_after, retry_after_ms: None, body }
    }
}

/// Returns daprd's JSON body for an error, without a trailing line break.
pub(crate) fn json_body(error: &Error) -> String {
    let (_, _, error_code) = error.codes();
    let body = Body { error_code, message: &error.message(), details: details(error) };
    // Serializing strings and JSON values cannot fail.
    escape(&serde_json::to_string(&body).unwrap_or_default())
}

/// Escapes the characters that Go's `encoding/json` escapes. They occur only within JSON strings.
fn escape(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Returns the details of the gRPC status as proto JSON.
fn details(error: &Error) -> Option<Value> {
    let Error::Chat(chat::Error::Provider { error, .. }) = error else { return None };
    let details = provider_details(error);
    if details.is_empty() {
        return None;
    }
    let status = rpc::Status { details, ..rpc::Status::default() };
    let mut status: Value = json::value(&status).ok()?;
    status.get_mut("details").map(Value::take)
}

pub(super) fn retry_after(error: &Error) -> Option<u64> {
    let wait = error.retry_after()?;
    Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
}

#[derive(Serialize)]
struct OpenAiBody<'a> {
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
            Error::Chat(chat::Error::InvalidParams { reason: Choices(_), .. }) => Some("n"),
            _ => None,
        };
        let message = error.provider_message();
        let body =
            OpenAiBody { error: Inner { message, r#type: kind, param, code: openai_code(error) } };
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
pub(crate) fn openai_code(error: &Error) -> Option<&str> {
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

/// The reason why a request of the control API has no answer.
#[derive(Debug, ThisError)]
pub(crate) enum ControlError {
    /// The request is invalid. The text says what would be valid.
    #[error("{0}")]
    Invalid(String),
    /// A check has failed. The text is the JSON with the result.
    #[error("{0}")]
    Unverified(String),
    /// The path is served, but not with this method.
    #[error("{0}")]
    WrongMethod(String),
    /// The path is not served, or there is nothing to show.
    #[error("{0}")]
    NotFound(String),
    /// There is no memory for the rules of a session.
    #[error(
        "there is no room for these rules: those of all sessions take at most a quarter of \
         --max-memory; remove those of sessions that have ended, with DELETE \
         /mynah/v1/rules?session=NAME"
    )]
    RulesFull,
    /// A feature is turned off.
    #[error("{0}")]
    TurnedOff(&'static str),
    /// What is asked for cannot be had now.
    #[error("{0}")]
    Unavailable(String),
    /// The call is not allowed, or its body cannot be read.
    #[error("{}", call_message(.0))]
    Call(#[from] Error),
    /// The work on the request stopped early.
    #[error("{0}; select fewer calls with session or since, or split the request")]
    Stopped(Stopped),
    /// Work on a blocking thread panicked.
    #[error("the control API panicked; see the log")]
    Panicked,
}

impl ControlError {
    /// Creates the error for an invalid request.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }
}

/// Returns the message of an error that calls of Dapr's API can also have.
fn call_message(error: &Error) -> String {
    match error {
        Error::Unauthorized(_) => format!("{error}; send the token in the header dapr-api-token"),
        _ => error.message(),
    }
}

impl From<Panicked> for ControlError {
    fn from(_: Panicked) -> Self {
        Self::Panicked
    }
}

impl From<Stopped> for ControlError {
    fn from(reason: Stopped) -> Self {
        match reason {
            Stopped::Memory(error) => Self::Call(error.into()),
            Stopped::Limit | Stopped::Cancelled => Self::Stopped(reason),
        }
    }
}

impl From<&ControlError> for HttpError {
    fn from(error: &ControlError) -> Self {
        let status = match error {
            ControlError::Invalid(_) => StatusCode::BAD_REQUEST,
            ControlError::Unverified(_) => StatusCode::CONFLICT,
            ControlError::WrongMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            ControlError::NotFound(_) => StatusCode::NOT_FOUND,
            ControlError::RulesFull | ControlError::TurnedOff(_) | ControlError::Unavailable(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            ControlError::Call(error) => error.codes().1,
            ControlError::Stopped(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ControlError::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let body = match error {
            ControlError::Unverified(result) => result.clone(),
            error => json!({"error": error.to_string()}).to_string(),
        };
        Self {
            status,
            content_type: "application/json",
            retry_after: None,
            retry_after_ms: None,
            body,
        }
    }
}
