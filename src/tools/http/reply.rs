//! Reads the reply to a request.

use bytes::Bytes;
use http::{Response, header::CONTENT_ENCODING};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use serde_json::Value;

use crate::{
    tool_loop::ToolError,
    tools::{process::MAX_ERROR_TEXT, value::MAX_OUTPUT},
};

/// Returns the body of a successful response, or what `pointer` selects in it.
pub(super) async fn read(
    response: Response<Incoming>,
    pointer: Option<&str>,
) -> Result<Value, ToolError> {
    let (head, body) = response.into_parts();
    if let Some(encoding) = head.headers.get(CONTENT_ENCODING).filter(|it| *it != "identity") {
        return Err(ToolError::new(format_args!("the response has the encoding {encoding:?}")));
    }
    let body = Limited::new(body, MAX_OUTPUT).collect().await.map_err(|error| {
        let is_too_long = error.is::<LengthLimitError>();
        let reason = if is_too_long { "longer than 16 MiB" } else { "not complete" };
        ToolError::new(format_args!("the response is {reason}"))
    })?;
    let body = body.to_bytes();
    if !head.status.is_success() {
        return Err(ToolError::new(format_args!(
            "HTTP {}{}",
            head.status.as_u16(),
            excerpt(&body)
        )));
    }
    let text = std::str::from_utf8(&body).map_err(|error| {
        let at = error.valid_up_to();
        ToolError::new(format_args!("the response is not valid UTF-8 at byte {at}"))
    })?;
    match pointer {
        None => Ok(text.into()),
        Some(pointer) => select(text, pointer),
    }
}

fn select(text: &str, pointer: &str) -> Result<Value, ToolError> {
    let mut json: Value = serde_json::from_str(text)
        .map_err(|error| ToolError::new(format_args!("the response is not JSON: {error}")))?;
    let found = json.pointer_mut(pointer).map(Value::take);
    found.ok_or_else(|| ToolError::new(format_args!("the response has no {pointer}")))
}

/// Returns the beginning of an error's body.
fn excerpt(body: &Bytes) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(MAX_ERROR_TEXT)]);
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
