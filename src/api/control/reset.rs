//! `/mynah/v1/reset`: resets counters, faults, kept responses and the journal.

use std::sync::Arc;

use axum::extract::State;
use http::{StatusCode, Uri};

use super::{failure::Failure, query};
use crate::{base::blocking::run_blocking, engine::Engine};

/// Resets the counters, the faults, the kept responses and the journal of a session, or of all sessions.
pub(super) async fn post(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<StatusCode, Failure> {
    let selection = query::read(&uri, &["session"])?.selection;
    match &selection.session {
        Some(session) => engine.counters.reset(session),
        None => engine.counters.reset_all(),
    }
    engine.faults.clear(selection.session.as_deref());
    engine.responses.reset(selection.session.as_deref());
    if let Some(journal) = engine.journal.clone() {
        run_blocking(move || journal.remove(&selection)).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
