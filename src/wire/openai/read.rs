//! Reads the bodies of requests, and keeps parts of them.

use std::ops::Range;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::invalid;
use crate::{chat::LazyJson, wire::error::Error};

/// Reads a body. If a value has the wrong type, the error names its key.
pub(super) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| {
        if !error.is_data() {
            return Error::InvalidRequest { param: None, reason: format!("invalid JSON: {error}") };
        }
        // Reading again for the path is slow, but only needed if something is wrong.
        let mut json = serde_json::Deserializer::from_slice(bytes);
        match serde_path_to_error::deserialize::<_, T>(&mut json) {
            Err(error) if error.path().iter().next().is_some() => {
                invalid(error.path(), error.inner())
            }
            _ => Error::InvalidRequest { param: None, reason: error.to_string() },
        }
    })
}

/// Returns where in the body a value is.
pub(super) fn position(value: &RawValue, body: &[u8]) -> Range<usize> {
    let value = value.get();
    let start = value.as_ptr().addr().saturating_sub(body.as_ptr().addr());
    start..start + value.len()
}

/// Keeps the text of a schema, which is a part of the body.
pub(super) fn lazy_json(schema: &RawValue, body: &Bytes) -> LazyJson {
    LazyJson::encoded(body.slice_ref(schema.get().as_bytes()), |text| {
        serde_json::from_slice(text).unwrap_or_else(|_| {
            tracing::warn!("a JSON Schema is nested too deeply and is ignored");
            Value::Object(Map::new())
        })
    })
}
