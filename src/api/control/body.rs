//! Reads the bodies of the control API.

use axum::body::Body;
use serde::de::DeserializeOwned;

use super::failure::Failure;
use crate::api::{guard::Guard, http::body::read};

/// Reads a body as text.
pub(super) async fn text(body: Body, guard: &Guard) -> Result<String, Failure> {
    let bytes = read(body, guard.max_body_size, &guard.charge()).await?;
    String::from_utf8(bytes.into()).map_err(|_| Failure::invalid("the body is not UTF-8"))
}

/// Reads a body as JSON. Errors have the path of what is invalid.
pub(super) async fn json<T: DeserializeOwned>(body: Body, guard: &Guard) -> Result<T, Failure> {
    let bytes = read(body, guard.max_body_size, &guard.charge()).await?;
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let parsed = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        format!("{place}{}", error.inner())
    });
    let value =
        parsed.and_then(|value| json.end().map_err(|error| error.to_string()).map(|()| value));
    value.map_err(|error| Failure::invalid(format!("invalid JSON: {error}")))
}
