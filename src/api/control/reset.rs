//! `/mynah/v1/reset`: resets sessions.

use std::sync::Arc;

use axum::extract::State;
use http::{StatusCode, Uri};

use super::{failure::Failure, query};
use crate::{base::blocking::run_blocking, engine::Engine};

/// Drops what is kept of a session, or of all sessions.
pub(super) async fn post(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<StatusCode, Failure> {
    let selection = query::read(&uri, &["session"])?.selection;
    engine.reset(selection.session.as_deref());
    if let Some(journal) = engine.journal.clone() {
        run_blocking(move || journal.remove(&selection)).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
