//! The errors of a model, with the texts that daprd has for them.

use std::time::Duration;

use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
use jiff::fmt::rfc2822::DateTimeParser;
use serde::Deserialize;

use crate::{base::clock, provider::ProviderError, tools::Incomplete};

#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorObject,
}

#[derive(Deserialize)]
struct ErrorObject {
    message: String,
}

/// Returns the error for a status other than 200.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ProviderError {
    let code = status.as_u16();
    let message = match serde_json::from_slice::<ErrorBody>(body) {
        Ok(ErrorBody { error: ErrorObject { message } }) => format!(": {message}"),
        Err(_) if status.is_success() => ": ".to_owned(),
        Err(_) => String::new(),
    };
    let text = format!("API returned unexpected status code: {code}{message}");
    let retry_after = headers.get(RETRY_AFTER).and_then(|it| retry_after(it.to_str().ok()?));
    ProviderError { retry_after, ..ProviderError::internal(text) }
}

/// Returns the time until a retry: a number of seconds, or until a date, which may have passed.
fn retry_after(header: &str) -> Option<Duration> {
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = DateTimeParser::new().parse_timestamp(header).ok()?;
    Some(Duration::try_from(date.duration_since(clock::timestamp())).unwrap_or_default())
}

/// Returns the error for an answer that is not what the API describes.
pub(super) fn of_body(body: &[u8], error: &serde_json::Error) -> ProviderError {
    let start = String::from_utf8_lossy(&body[..body.len().min(4)]);
    let text = match start.trim_start().chars().next() {
        None => "EOF".to_owned(),
        Some('{') if error.is_eof() => "unexpected EOF".to_owned(),
        Some('{') => format!("the model's answer is invalid: {error}"),
        Some(first) => format!("invalid character {first:?} looking for beginning of value"),
    };
    ProviderError::internal(text)
}

/// Returns the error if there is no answer. The cause is not for the caller, as in daprd.
pub(super) fn unreachable(cause: &str) -> ProviderError {
    tracing::warn!("the model cannot be reached: {cause}");
    ProviderError::internal("network error: failed to reach API server")
}

/// Returns the error for an answer without choices.
pub(super) fn empty() -> ProviderError {
    ProviderError::internal("empty response")
}

/// Returns the error for an answer that calls no tool although it must.
pub(super) fn no_call(tools: usize) -> ProviderError {
    ProviderError::internal(format!(
        "LLM returned empty response with no tool calls despite {tools} tools being available"
    ))
}

/// Returns the error for a stream that cannot be read to its end.
pub(super) fn incomplete(cause: Incomplete) -> ProviderError {
    match cause {
        Incomplete::Memory(error) => error.into(),
        Incomplete::TooLong => unreadable(&cause.to_string()),
        Incomplete::Broken => ProviderError::internal("unexpected EOF"),
    }
}

/// Returns the error for an answer that is not read.
pub(super) fn unreadable(reason: &str) -> ProviderError {
    ProviderError::internal(format!("the model's answer cannot be read: {reason}"))
}
