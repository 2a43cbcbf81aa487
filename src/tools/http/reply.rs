//! Reads the reply to a request.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode, header::CONTENT_ENCODING, response::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use serde_json::Value;

use crate::{
    base::blocking::{LARGE, run_blocking},
    tool_loop::ToolError,
    tools::{process::MAX_ERROR_TEXT, value::MAX_OUTPUT},
};

/// Returns the body of a successful response, or what `pointer` selects in it.
pub(crate) async fn read(
    response: Response<Incoming>,
    pointer: Option<&str>,
) -> Result<Value, ToolError> {
    let (head, body) = read_body(response).await.map_err(ToolError::new)?;
    if !head.status.is_success() {
        let error = status_error(&head, &body);
        let is_transient = is_transient(head.status);
        return Err(if is_transient { ToolError::new(error) } else { ToolError::failed(error) });
    }
    let text = std::str::from_utf8(&body).map_err(|error| {
        let at = error.valid_up_to();
        ToolError::new(format_args!("the response is not valid UTF-8 at byte {at}"))
    })?;
    match pointer {
        None => Ok(text.into()),
        Some(pointer) if text.len() <= LARGE => select(text, pointer),
        Some(pointer) => {
            let (text, pointer) = (text.to_owned(), pointer.to_owned());
            let selected = run_blocking(move || select(&text, &pointer)).await;
            selected.unwrap_or_else(|_| Err(ToolError::new("the response cannot be read")))
        }
    }
}

/// Returns `true` if the same request may succeed later.
fn is_transient(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500..)
}

fn select(text: &str, pointer: &str) -> Result<Value, ToolError> {
    let mut json: Value = serde_json::from_str(text)
        .map_err(|error| ToolError::new(format_args!("the response is not JSON: {error}")))?;
    let found = json.pointer_mut(pointer).map(Value::take);
    found.ok_or_else(|| ToolError::new(format_args!("the response has no {pointer}")))
}

/// Reads the whole body of a response. Fails with a message if it is encoded, too long or not
/// complete.
pub(in crate::tools) async fn read_body(
    response: Response<Incoming>,
) -> Result<(Parts, Bytes), String> {
    let (head, body) = response.into_parts();
    check_encoding(&head.headers)?;
    let body = Limited::new(body, MAX_OUTPUT).collect().await.map_err(|error| {
        let is_too_long = error.is::<LengthLimitError>();
        let reason = if is_too_long { "longer than 16 MiB" } else { "not complete" };
        format!("the response is {reason}")
    })?;
    Ok((head, body.to_bytes()))
}

/// Fails with a message if the body of a response is encoded.
pub(in crate::tools) fn check_encoding(headers: &HeaderMap) -> Result<(), String> {
    match headers.get(CONTENT_ENCODING).filter(|encoding| *encoding != "identity") {
        Some(encoding) => Err(format!("the response has the encoding {encoding:?}")),
        None => Ok(()),
    }
}

/// Returns the status of an error, with the beginning of its body.
pub(in crate::tools) fn status_error(head: &Parts, body: &Bytes) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(MAX_ERROR_TEXT)]);
    let (status, text) = (head.status.as_u16(), text.trim());
    if text.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {text}") }
}
