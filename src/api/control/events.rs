//! `/mynah/v1/journal/events`: the calls of a sidecar, as they end.

use std::{fmt::Write, mem, sync::Arc, time::Duration};

use axum::{Extension, extract::State, response::Response};
use futures_util::{Stream, stream};
use http::{HeaderMap, HeaderName, Uri};

use super::{journal, query, resources::Resources};
use crate::{
    api::http::response::event_stream,
    base::{memory::Charge, work::Work},
    engine::{
        Engine,
        journal::{EntryFilter, Journal},
    },
    wire::error::{ControlError, Error},
};

/// The header in which a reader that connects again sends the number of the last entry it has.
static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// How often a reader looks for new calls. Calls themselves do nothing for readers.
const PAUSE: Duration = Duration::from_millis(100);

/// After this many pauses without an event, a comment shows proxies that the connection is in use.
const QUIET_PAUSES: u32 = 150;

/// Events are sent in pieces of about this size in bytes, so that a slow reader takes little memory.
const PIECE: usize = 1024 * 1024;

/// Follows the selected entries from the oldest one on, or after the one that the reader names.
pub(super) async fn get(
    State(engine): State<Arc<Engine>>,
    Extension(resources): Extension<Resources>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ControlError> {
    let query = query::read(&uri, &["session", "component", "outcome", "since"])?;
    let mut selection = query.selection;
    if let Some(last) = last_event_id(&headers)? {
        selection.since = last;
    }
    let journal = journal::journal(&engine)?;
    let reader =
        Reader { journal, resources, selection, dropped: 0, faults: 0, engine, is_ended: false };
    Ok(event_stream(reader.events()))
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, ControlError> {
    let Some(value) = headers.get(&LAST_EVENT_ID) else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.parse().ok());
    let invalid = || format!("invalid Last-Event-ID {value:?}; expected a number, such as 1");
    number.map(Some).ok_or_else(|| ControlError::invalid(invalid()))
}

/// A client that follows the journal.
struct Reader {
    journal: Arc<Journal>,
    resources: Resources,
    /// What the reader has not seen yet.
    selection: EntryFilter,
    /// How many selected entries the journal had dropped when the reader last looked.
    dropped: u64,
    /// How many faults were set then.
    faults: usize,
    engine: Arc<Engine>,
    is_ended: bool,
}

/// Some events, and the number of the last entry that they cover.
struct Piece {
    events: String,
    last: u64,
    dropped: u64,
}

impl Reader {
    /// Returns the events. The stream ends when mynah stops, or if there is no memory for an entry: then
    /// the reader connects again and continues.
    fn events(self) -> impl Stream<Item = String> + Send {
        stream::unfold(self, |mut reader| async {
            let events = reader.next().await?;
            Some((events, reader))
        })
    }

    /// Waits for the next events, or returns a comment when there are none for long.
    async fn next(&mut self) -> Option<String> {
        if self.selection.since > self.journal.newest() {
            self.selection.since = 0;
            return Some("event: restarted\ndata: {}\n\n".to_owned());
        }
        for _ in 0..QUIET_PAUSES {
            if let Some(event) = self.new_faults() {
                return Some(event);
            }
            if self.journal.newest() > self.selection.since {
                let events = self.read().await?;
                if !events.is_empty() {
                    return Some(events);
                }
            } else if self.is_ended {
                return None;
            }
            // Once more, for the calls that ended before mynah began to stop.
            self.is_ended = !self.resources.pause(PAUSE).await;
        }
        Some(":\n\n".to_owned())
    }

    /// Returns an event if the number of faults has changed.
    fn new_faults(&mut self) -> Option<String> {
        let session = self.selection.session.as_deref();
        let faults = self.engine.faults.count(session, &self.engine.counters);
        let earlier = mem::replace(&mut self.faults, faults);
        (faults != earlier).then(|| format!("event: faults\ndata: {{\"set\":{faults}}}\n\n"))
    }

    async fn read(&mut self) -> Option<String> {
        let (journal, selection) = (self.journal.clone(), self.selection.clone());
        let (charge, dropped) = (self.resources.charge.clone(), self.dropped);
        let read = move |work: &Work| piece(&journal, &selection, dropped, &charge, work);
        let piece = self.resources.run(read).await.ok()?;
        (self.selection.since, self.dropped) = (piece.last, piece.dropped);
        Some(piece.events)
    }
}

/// Returns the next events for a reader, for which `dropped` entries were dropped before.
fn piece(
    journal: &Journal,
    selection: &EntryFilter,
    dropped: u64,
    charge: &Charge,
    work: &Work,
) -> Result<Piece, ControlError> {
    let since = selection.since;
    // Read before the entries, so that a call that ends meanwhile is in the next piece.
    let newest = journal.newest();
    let selected = journal.select(selection);
    // The reader had seen the other dropped entries.
    let missed = selected.oldest.unwrap_or(newest + 1).saturating_sub(since + 1);
    let missed = missed.min(selected.dropped.saturating_sub(dropped));
    let last = selected.entries.last().map_or(newest, |entry| entry.number.max(newest));
    let mut piece = Piece { events: String::new(), last, dropped: selected.dropped };
    if missed > 0 {
        // Writing to a string cannot fail.
        let _ = write!(piece.events, "event: dropped\ndata: {{\"dropped\":{missed}}}\n\n");
    }
    for entry in &selected.entries {
        let number = entry.number;
        if piece.events.len() > PIECE {
            piece.last = number - 1;
            break;
        }
        // The text may have room for twice its length.
        let needed = 2 * piece.events.len() + journal::decoded_size(entry, charge);
        charge.set(needed).map_err(Error::from)?;
        let shown = journal::show(entry, &selected.redactor, work)?;
        let _ = write!(piece.events, "event: entry\nid: {number}\ndata: {shown}\n\n");
    }
    Ok(piece)
}
