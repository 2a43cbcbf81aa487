//! The journal: what a sidecar was asked, and what it answered.

mod dropped;
mod entry;
mod file;
mod normalized;
mod packed;
mod shards;
mod shown;

use std::{collections::BTreeSet, io, path::Path, sync::Arc, time::Duration};

use prometheus::IntCounter;

#[cfg(feature = "internals")]
pub(crate) use self::shown::ShownEntry;
pub(crate) use self::{
    entry::{CallError, CallOutcome, Entry, EntryFilter, Outcome},
    shown::is_zero,
};
use self::{file::JournalFile, shards::Shards};
use super::redactor::{CurrentRedactor, Redactor};
use crate::chat::Response;

/// The steps that it takes to decode a byte of a request without secrets.
pub(crate) const READING: usize = 8;

/// Maximum number of sessions that are named.
const MAX_SESSIONS: usize = 10;

/// The calls of a sidecar, limited in bytes.
#[derive(Debug)]
pub(crate) struct Journal {
    shards: Shards,
    file: Option<JournalFile>,
    redactor: CurrentRedactor,
    dropped: IntCounter,
}

/// Entries that are selected.
#[derive(Debug)]
pub(crate) struct Selected {
    /// The entries, oldest first.
    pub(crate) entries: Vec<Arc<Entry>>,
    /// The number of the oldest entry after the one that the selection names, selected or not.
    pub(crate) oldest: Option<u64>,
    /// How many may be missing, because there was no room.
    pub(crate) dropped: u64,
    /// Removes the secrets of the entries.
    pub(crate) redactor: Arc<Redactor>,
}

/// Counts the entries that are dropped.
#[derive(Debug, Clone)]
pub(crate) struct DroppedEntries {
    /// Those that are no longer in memory because there was no room.
    pub(crate) in_memory: IntCounter,
    /// Those that are not in the file.
    pub(crate) in_file: IntCounter,
}

impl Journal {
    /// Creates a journal of at most `size` bytes, whose entries are also appended to a file, without
    /// secrets. May wait for the reader of a pipe.
    pub(crate) fn new(
        size: usize,
        file: Option<&Path>,
        dropped: DroppedEntries,
        redactor: CurrentRedactor,
    ) -> io::Result<Self> {
        let DroppedEntries { in_memory, in_file } = dropped;
        let open = |path| JournalFile::open(path, in_file, redactor.clone());
        let file = file.map(open).transpose()?;
        Ok(Self { shards: Shards::new(size), file, redactor, dropped: in_memory })
    }

    /// Adds an entry. The entry gets the next number.
    pub(crate) fn add(&self, entry: Entry<&Response>) {
        let add = || {
            let (entry, dropped) = self.shards.add(entry);
            self.dropped.inc_by(dropped);
            entry
        };
        match &self.file {
            Some(file) => file.add(add),
            None => drop(add()),
        }
    }

    /// Returns `true` if the journal keeps entries in memory, where they can be read.
    pub(crate) fn is_readable(&self) -> bool {
        self.shards.limit > 0
    }

    /// Returns the number of the newest entry, which may have been removed, or 0 if there was none.
    pub(crate) fn newest(&self) -> u64 {
        self.shards.newest()
    }

    /// Returns the selected entries.
    pub(crate) fn select(&self, selection: &EntryFilter) -> Selected {
        let mut entries = self.shards.since(selection.since);
        let oldest = entries.first().map(|entry| entry.number);
        entries.retain(|entry| selection.selects(entry));
        // Counted afterwards, so that no missing entry is overlooked.
        let dropped = self.shards.dropped_by_session.among(selection);
        Selected { entries, oldest, dropped, redactor: self.redactor.load_full() }
    }

    /// Returns some of the sessions that have entries after the one with this number, without secrets.
    pub(crate) fn sessions(&self, since: u64) -> Vec<String> {
        let (entries, redactor) = (self.shards.since(since), self.redactor.load());
        let sessions: BTreeSet<_> = entries.iter().map(|entry| entry.session()).collect();
        let named = sessions.into_iter().take(MAX_SESSIONS);
        named.map(|session| redactor.redacted(session).into_owned()).collect()
    }

    /// Removes the selected entries. Returns their number.
    pub(crate) fn remove(&self, selection: &EntryFilter) -> usize {
        if selection.component.is_none() {
            self.shards.dropped_by_session.remove(selection.session.as_deref());
        }
        self.shards.remove(|entry| selection.selects(entry))
    }

    /// Returns how many entries were dropped because there was no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.shards.dropped()
    }

    /// Returns `true` if new calls have to wait until the file is written.
    pub(crate) fn is_full(&self) -> bool {
        self.file.as_ref().is_some_and(JournalFile::is_full)
    }

    /// Waits until new calls may start.
    pub(crate) async fn wait_for_room(&self) {
        if let Some(file) = &self.file {
            file.wait_for_room().await;
        }
    }

    /// Returns the time that [`close`](Self::close) may take, or `None` if there is no file.
    pub(crate) fn close_timeout(&self) -> Option<Duration> {
        self.file.as_ref().map(JournalFile::close_timeout)
    }

    /// Writes all entries to the file and closes it. Blocks.
    pub(crate) fn close(&self) {
        if let Some(file) = &self.file {
            file.close();
        }
    }
}
