//! Dapr's API: maps every error to an HTTP response.

use std::time::Duration;

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::{Error, dapr::provider_details};
use crate::{
    chat,
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
