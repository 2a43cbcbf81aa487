//! Reads the bodies of the control API.

use axum::body::Body;
use serde::de::DeserializeOwned;

use super::failure::Failure;
use crate::{
    api::{guard::Guard, http::body::read},
    base::{memory::Charge, text::without_struct_name},
    wire::error::Error,
};

/// The memory that a body takes when it is parsed, in addition to its own and in its sizes.
const PARSED: usize = 8;

/// Reads a body as text, for which the call is charged.
pub(super) async fn text(body: Body, guard: &Guard, charge: &Charge) -> Result<String, Failure> {
    let bytes = read(body, guard.max_body_size, charge).await?;
    charge.grow(bytes.len() * PARSED).await.map_err(Error::from)?;
    String::from_utf8(bytes.into()).map_err(|_| Failure::invalid("the body is not UTF-8"))
}

/// Reads a body as JSON, for which the call is charged. Errors have the path of what is invalid.
pub(super) async fn json<T: DeserializeOwned>(
    body: Body,
    guard: &Guard,
    charge: &Charge,
) -> Result<T, Failure> {
    let text = text(body, guard, charge).await?;
    if let Some(kind) = other_kind(&text) {
        return Err(Failure::invalid(format!("the body must be a JSON object, not {kind}")));
    }
    let mut json = serde_json::Deserializer::from_str(&text);
    let parsed = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        format!("{place}{}", without_struct_name(&error.inner().to_string(), "an object"))
    });
    let value =
        parsed.and_then(|value| json.end().map_err(|error| error.to_string()).map(|()| value));
    value.map_err(|error| Failure::invalid(format!("invalid JSON: {error}")))
}

/// Says what a body is if it starts like something other than an object.
fn other_kind(text: &str) -> Option<&'static str> {
    match text.trim_start().bytes().next() {
        None => Some("empty"),
        Some(b'[') => Some("a list"),
        Some(b'"') => Some("a string"),
        Some(b'-' | b'0'..=b'9') => Some("a number"),
        Some(b't' | b'f') => Some("a boolean"),
        Some(b'n') => Some("null"),
        Some(_) => None,
    }
}
