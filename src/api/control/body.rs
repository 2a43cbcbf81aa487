//! Parses the bodies of the control API.

use serde::de::DeserializeOwned;

use super::failure::Failure;
use crate::base::{reader_message::reworded, text::shorten};

/// Maximum number of characters of the path and of the message of an error, which quote keys.
const MAX_SHOWN: usize = 1_000;

/// Parses a body as JSON. Errors have the path of what is invalid.
pub(super) fn json<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    if let Some(kind) = other_kind(text) {
        return Err(Failure::invalid(format!("the body must be a JSON object, not {kind}")));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let path = shorten(&path, MAX_SHOWN);
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        let message = reworded(&error.inner().to_string(), "an object");
        format!("{place}{}", shorten(&message, MAX_SHOWN))
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
