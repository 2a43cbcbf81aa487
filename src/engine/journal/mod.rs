//! The journal: what a sidecar was asked, and what it answered.

mod dropped;
mod entry;
mod file;
mod filter;
mod json;
mod markers;
mod open;
mod redactor;
mod shards;

use std::{io, path::Path, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use prometheus::IntCounter;

pub(crate) use self::{
    entry::{CallError, Entry, Outcome},
    filter::EntryFilter,
    redactor::Redactor,
};
use self::{file::JournalFile, shards::Shards};

/// The calls of a sidecar, limited in bytes.
#[derive(Debug)]
pub(crate) struct Journal {
    shards: Shards,
    file: Option<JournalFile>,
    redactor: ArcSwap<Redactor>,
    dropped: IntCounter,
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
    /// Creates a journal of at most `size` bytes, whose entries are also appended to a file. May wait
    /// for the reader of a pipe.
    pub(crate) fn new(
        size: usize,
        file: Option<&Path>,
        dropped: DroppedEntries,
    ) -> io::Result<Self> {
        let DroppedEntries { in_memory, in_file } = dropped;
        Ok(Self {
            shards: Shards::new(size),
            file: file.map(|path| JournalFile::open(path, in_file)).transpose()?,
            redactor: ArcSwap::from_pointee(Redactor::new(&[])),
            dropped: in_memory,
        })
    }

    /// Sets the secrets that are removed from new entries.
    pub(crate) fn set_secrets(&self, secrets: &[String]) {
        self.redactor.store(Arc::new(Redactor::new(secrets)));
    }

    /// Returns the redactor for new entries.
    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        self.redactor.load_full()
    }

    /// Adds an entry whose request is redacted already. The entry gets the next number.
    pub(crate) fn add(&self, mut entry: Entry) {
        entry.redact(&self.redactor.load());
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
        self.shards.have_room()
    }

    /// Returns the selected entries, oldest first.
    pub(crate) fn entries(&self, selection: &EntryFilter) -> Vec<Arc<Entry>> {
        let mut entries = self.shards.since(selection.since);
        entries.retain(|entry| selection.selects(entry));
        entries
    }

    /// Removes the selected entries. Returns their number.
    pub(crate) fn remove(&self, selection: &EntryFilter) -> usize {
        if selection.component.is_none() {
            self.shards.dropped_by_session().remove(selection.session.as_deref());
        }
        self.shards.remove(|entry| selection.selects(entry))
    }

    /// Returns the selected entries, oldest first, and how many may be missing because there was no room.
    pub(crate) fn checked_entries(&self, selection: &EntryFilter) -> (Vec<Arc<Entry>>, u64) {
        let entries = self.entries(selection);
        // Counted afterwards, so that no missing entry is overlooked.
        (entries, self.shards.dropped_by_session().among(selection))
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
