//! `/mynah/v1/verdict`: how a client retries.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::Uri;

use super::{failure::Failure, journal::journal, query};
use crate::{
    api::http::response::json,
    base::blocking::run_blocking,
    engine::{Engine, verdict::judge},
};

/// Judges how the client of the selected calls retries.
pub(super) async fn get(State(engine): State<Arc<Engine>>, uri: Uri) -> Result<Response, Failure> {
    let query = query::read(&uri, &["session", "component", "since"])?;
    let journal = journal(&engine)?;
    let verdict = run_blocking(move || judge(&journal.entries(&query.selection))).await?;
    // Serializing texts and numbers cannot fail.
    Ok(json(serde_json::to_string(&verdict).unwrap_or_default()))
}
