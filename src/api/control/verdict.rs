//! `/mynah/v1/verdict`: how a client retries.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};
use http::Uri;

use super::{failure::Failure, journal::journal, query, resources::Resources};
use crate::{
    api::http::response::json,
    base::work::Work,
    engine::{Engine, verdict::judge},
};

/// The memory that a call takes in a verdict.
const CALL: usize = 256;

/// Judges how the client of the selected calls retries.
pub(super) async fn get(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    uri: Uri,
) -> Result<Response, Failure> {
    let query = query::read(&uri, &["session", "component", "since"])?;
    let journal = journal(&engine)?;
    let judge = move |work: &Work| {
        let calls = journal.select(&query.selection);
        work.keep(CALL * calls.entries.len())?;
        Ok(judge(&calls, work)?)
    };
    let verdict = resources.run(judge).await?;
    // Serializing texts and numbers cannot fail.
    Ok(json(serde_json::to_string(&verdict).unwrap_or_default()))
}
