//! `/mynah/v1/journal`: the calls of a sidecar. `/mynah/v1/reset` also removes them, and
//! `/mynah/v1/verdict` says how the client retries.

use std::{fmt::Write, sync::Arc};

use axum::{Extension, extract::State, response::Response};
use http::{StatusCode, Uri};
use serde_json::Value;

use super::{
    query::{self, JournalQuery},
    resources::Resources,
};
use crate::{
    api::http::response::json,
    base::{blocking::run_blocking, memory::Charge, work::Work},
    engine::{
        Components, Engine,
        decoded::decoded,
        journal::{Entry, Journal, READING, Selected},
        redactor::Redactor,
        verdict::judge,
    },
    wire::error::{ControlError, Error},
};

/// An answer has no more entries when it has reached this size in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The memory that an entry takes when it is decoded and shown, in its sizes.
const DECODED: usize = 8;

/// Returns the selected entries, oldest first.
pub(super) async fn get(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    uri: Uri,
) -> Result<Response, ControlError> {
    let query =
        query::read(&uri, &["session", "component", "outcome", "since", "limit", "normalized"])?;
    let journal = journal(&engine)?;
    let charge = resources.charge.clone();
    let list = move |work: &Work| {
        let components = query.normalized.then(|| engine.with_instances());
        let entries = Entries { journal: &journal, components: components.as_ref() };
        entries.list(&query, &charge, work)
    };
    Ok(json(resources.run(list).await?))
}

/// Removes the selected entries.
pub(super) async fn delete(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<Response, ControlError> {
    let query = query::read(&uri, &["session", "component", "outcome"])?;
    let journal = journal(&engine)?;
    let removed = run_blocking(move || journal.remove(&query.selection)).await?;
    Ok(json(format!("{{\"removed\":{removed}}}")))
}

/// Returns the journal, or the error if it keeps no entries.
pub(super) fn journal(engine: &Engine) -> Result<Arc<Journal>, ControlError> {
    let off = ControlError::TurnedOff("the journal is off; start mynah without --journal-size 0");
    engine.readable_journal().ok_or(off)
}

/// Shows entries, with the parts of their requests in the same form for all APIs if there are components.
struct Entries<'e> {
    journal: &'e Journal,
    components: Option<&'e Components>,
}

impl Entries<'_> {
    /// Returns a page with the selected entries. It has fewer if there is no memory for more.
    fn list(
        &self,
        query: &JournalQuery,
        charge: &Charge,
        work: &Work,
    ) -> Result<String, ControlError> {
        let Selected { entries, redactor, .. } = self.journal.select(&query.selection);
        let mut text = String::from("{\"entries\":[");
        let mut listed = 0;
        let mut next = query.selection.since;
        let mut charged = 0;
        for entry in entries.iter().take(query.limit) {
            // The text may have room for twice its length.
            let needed = 2 * text.len() + self.decoded_size(entry, charge);
            let grown = charge.grow_now(needed.saturating_sub(charged));
            if listed > 0 {
                if grown.is_err() || text.len() > MAX_BYTES {
                    break;
                }
                text.push(',');
            }
            grown.map_err(Error::from)?;
            charged = charged.max(needed);
            // Writing to a string cannot fail.
            let _ = write!(text, "{}", self.show(entry, &redactor, work)?);
            listed += 1;
            next = entry.number;
        }
        let more = listed < entries.len();
        let dropped = self.journal.dropped();
        let _ = write!(text, "],\"next\":{next},\"more\":{more},\"dropped\":{dropped}}}");
        Ok(text)
    }

    fn decoded_size(&self, entry: &Entry, charge: &Charge) -> usize {
        let forms = 1 + usize::from(self.components.is_some());
        (forms * decoded_size(entry, charge)).min(charge.budget() / 2)
    }

    fn show(&self, entry: &Entry, redactor: &Redactor, work: &Work) -> Result<Value, ControlError> {
        let Some(components) = self.components else { return show(entry, redactor, work) };
        work.spend(READING.saturating_mul(entry.size()).saturating_mul(2))?;
        Ok(entry.to_normalized_json(decoded(entry, components, redactor), redactor))
    }
}

/// Returns the memory that it takes to show an entry. Half of the budget must do for the largest one.
pub(super) fn decoded_size(entry: &Entry, charge: &Charge) -> usize {
    (DECODED * entry.size()).min(charge.budget() / 2)
}

/// Returns an entry as JSON, without secrets.
pub(super) fn show(entry: &Entry, redactor: &Redactor, work: &Work) -> Result<Value, ControlError> {
    work.spend(READING.saturating_mul(entry.size()))?;
    Ok(entry.to_json(redactor))
}

/// Drops what is kept of a session, or of all sessions.
pub(super) async fn reset(
    State(engine): State<Arc<Engine>>,
    uri: Uri,
) -> Result<StatusCode, ControlError> {
    let selection = query::read(&uri, &["session"])?.selection;
    engine.reset(selection.session.as_deref());
    if let Some(journal) = engine.journal.clone() {
        run_blocking(move || journal.remove(&selection)).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// The memory that a call takes in a verdict.
const CALL: usize = 256;

/// Judges how the client of the selected calls retries.
pub(super) async fn verdict(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    uri: Uri,
) -> Result<Response, ControlError> {
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
