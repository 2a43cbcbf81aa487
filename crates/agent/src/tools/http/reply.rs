//! Reads the reply to a request, and finds the result in it without decoding the rest.

use std::{borrow::Cow, fmt, sync::Arc};

use http::{HeaderMap, Response, StatusCode, header::CONTENT_ENCODING, response::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use mynah_core::base::{
    blocking::{LARGE, run_blocking_if},
    json_size::decoded_size,
    memory::Reservation,
};
use serde::{
    Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

use crate::{
    tool_loop::ToolError,
    tools::{process::MAX_ERROR_TEXT, value::MAX_OUTPUT},
};

/// A buffer may be twice as long as its content.
const COPIES: usize = 2;

/// Returns the body of a successful response, or what `pointer` selects in it.
pub async fn read(
    response: Response<Incoming>,
    pointer: Option<&str>,
    memory: &Arc<Reservation>,
) -> Result<Value, ToolError> {
    let (head, body) = read_body(response, memory).await.map_err(ToolError::new)?;
    if !head.status.is_success() {
        let error = status_error(&head, &body);
        let is_transient = is_transient(head.status);
        return Err(if is_transient { ToolError::new(error) } else { ToolError::failed(error) });
    }
    let text = String::from_utf8(body).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        ToolError::new(format_args!("the response is not valid UTF-8 at byte {at}"))
    })?;
    let Some(pointer) = pointer else { return Ok(text.into()) };
    let (is_large, pointer, memory) = (text.len() > LARGE, pointer.to_owned(), memory.clone());
    let selected = run_blocking_if(is_large, move || part(&text, &pointer, &memory)).await;
    selected.unwrap_or_else(|_| Err(ToolError::new("the response cannot be read")))
}

/// Returns `true` if the same request may succeed later.
fn is_transient(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500..)
}

/// Returns what a JSON Pointer selects.
fn part(text: &str, pointer: &str, memory: &Reservation) -> Result<Value, ToolError> {
    let part = select(text, pointer)
        .map_err(|error| ToolError::new(format_args!("the response is not JSON: {error}")))?;
    let missing = || ToolError::new(format_args!("the response has no {pointer}"));
    let part = part.ok_or_else(missing)?.get();
    memory.grow_now(decoded_size(part.as_bytes()))?;
    Ok(serde_json::from_str(part)?)
}

/// Reads the whole body of a response. Fails with a message if it is encoded, too long or not
/// complete, or if there is no memory for it.
pub async fn read_body(
    response: Response<Incoming>,
    memory: &Reservation,
) -> Result<(Parts, Vec<u8>), String> {
    let (head, body) = response.into_parts();
    check_encoding(&head.headers)?;
    let (mut body, mut bytes) = (Limited::new(body, MAX_OUTPUT), Vec::new());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let is_too_long = error.is::<LengthLimitError>();
            let reason = if is_too_long { "longer than 16 MiB" } else { "not complete" };
            format!("the response is {reason}")
        })?;
        let data = frame.into_data().unwrap_or_default();
        memory.grow(COPIES * data.len()).await.map_err(|error| error.to_string())?;
        bytes.extend_from_slice(&data);
    }
    Ok((head, bytes))
}

/// Fails with a message if the body of a response is encoded.
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), String> {
    match headers.get(CONTENT_ENCODING).filter(|encoding| *encoding != "identity") {
        Some(encoding) => Err(format!("the response has the encoding {encoding:?}")),
        None => Ok(()),
    }
}

/// Returns the status of an error, with the beginning of its body.
pub(crate) fn status_error(head: &Parts, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(MAX_ERROR_TEXT)]);
    let (status, text) = (head.status.as_u16(), text.trim());
    if text.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {text}") }
}

/// Returns the value that a JSON Pointer selects, as written. Fails if the text is not JSON.
pub(super) fn select<'j>(text: &'j str, pointer: &str) -> serde_json::Result<Option<&'j RawValue>> {
    let mut value: &RawValue = serde_json::from_str(text)?;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        if !value.get().starts_with(['[', '{']) {
            return Ok(None);
        }
        let mut level = serde_json::Deserializer::from_str(value.get());
        match level.deserialize_any(Member(&token))? {
            Some(member) => value = member,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// Finds the member of an object with this name, or the item of a list with this number.
struct Member<'t>(&'t str);

impl Member<'_> {
    /// Returns the number of an item, which has neither a sign nor leading zeros.
    fn index(&self) -> Option<usize> {
        let is_canonical = self.0 == "0" || !self.0.starts_with(['0', '+']);
        self.0.parse().ok().filter(|_| is_canonical)
    }
}

impl<'j> Visitor<'j> for Member<'_> {
    type Value = Option<&'j RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'j>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        for number in 0.. {
            let is_left = if self.index() == Some(number) {
                found = items.next_element()?;
                found.is_some()
            } else {
                items.next_element::<IgnoredAny>()?.is_some()
            };
            if !is_left {
                break;
            }
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'j>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            // The last one counts, as everywhere.
            if name == self.0 {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    const JSON: &str =
        r#"{"a": [1, {"b/c": "\u00e9", "~": null}], "a\"": 2, "": [[]], "d": 1, "d": 3}"#;

    proptest! {
        #[test]
        fn selects_as_serde_json_does(pointer in "(/(a|a\"|b~1c|~0|~1|d|0|1|01|-|x)?){0,4}") {
            let value: Value = serde_json::from_str(JSON).unwrap();
            let selected = select(JSON, &pointer).unwrap();
            let selected = selected.map(|raw| serde_json::from_str::<Value>(raw.get()).unwrap());
            prop_assert_eq!(selected.as_ref(), value.pointer(&pointer));
        }
    }

    #[test]
    fn rejects_what_is_not_json() {
        assert!(select("[1, 2", "/0").is_err());
        assert!(select("", "/0").is_err());
    }
}
