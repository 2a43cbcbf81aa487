//! `/mynah/v1/journal`: the calls of a sidecar.

use std::{fmt::Write, sync::Arc};

use axum::{extract::State, response::Response};
use http::Uri;

use super::{
    failure::Failure,
    query::{self, JournalQuery},
};
use crate::{
    api::http::response::json,
    base::blocking::run_blocking,
    engine::{Engine, journal::Journal},
    wire::error::ControlError,
};

/// An answer has no more entries when it has reached this size in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Returns the selected entries, oldest first.
pub(super) async fn get(State(engine): State<Arc<Engine>>, uri: Uri) -> Result<Response, Failure> {
    let query = query::read(&uri, &["session", "component", "since", "limit"])?;
    let journal = journal(&engine)?;
    Ok(json(run_blocking(move || list(&journal, &query)).await?))
}

/// Removes the selected entries.
pub(super) async fn delete(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<Response, Failure> {
    let query = query::read(&uri, &["session", "component"])?;
    let journal = journal(&engine)?;
    let removed = run_blocking(move || journal.remove(&query.selection)).await?;
    Ok(json(format!("{{\"removed\":{removed}}}")))
}

/// Returns the journal, or the error if it is off.
pub(super) fn journal(engine: &Engine) -> Result<Arc<Journal>, Failure> {
    let off = ControlError::TurnedOff("the journal is off; start mynah without --journal-size 0");
    Ok(engine.journal.clone().ok_or(off)?)
}

fn list(journal: &Journal, query: &JournalQuery) -> String {
    let entries = journal.entries(&query.selection);
    let mut text = String::from("{\"entries\":[");
    let mut listed = 0;
    let mut next = query.selection.since;
    for entry in entries.iter().take(query.limit) {
        if listed > 0 {
            if text.len() > MAX_BYTES {
                break;
            }
            text.push(',');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", entry.to_json());
        listed += 1;
        next = entry.number;
    }
    let more = listed < entries.len();
    let dropped = journal.dropped();
    let _ = write!(text, "],\"next\":{next},\"more\":{more},\"dropped\":{dropped}}}");
    text
}
