//! `/mynah/v1/openapi.json`: the description of the control API.

#[cfg(feature = "internals")]
mod generate;

use axum::response::Response;
use serde_json::Value;

#[cfg(feature = "internals")]
pub use self::generate::generate;
use crate::api::http::response;

/// Generated from the types, so that the program does not contain the generator.
const DOCUMENT: &str = include_str!("../../../../schemas/openapi.json");

/// Returns the description of the control API.
pub(super) async fn get() -> Response {
    response::json(document().to_string())
}

fn document() -> Value {
    let mut document: Value = serde_json::from_str(DOCUMENT).unwrap_or_default();
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    document
}
