//! Counts the entries that the journal had no room for.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::entry::{Entry, EntryFilter};

/// Maximum number of sessions that are counted separately.
const MAX_SESSIONS: usize = 1_000;
/// Maximum length of their names in bytes.
const MAX_NAME: usize = 256;

/// The dropped entries, by session.
#[derive(Debug, Default)]
pub(super) struct Dropped(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    by_session: BTreeMap<String, Count>,
    /// The entries of all other sessions.
    others: Count,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    entries: u64,
    /// The highest number of an entry.
    last: u64,
}

impl Dropped {
    /// Counts an entry.
    pub(super) fn add(&self, entry: &Entry) {
        let counts = &mut *self.lock();
        let (sessions, name) = (&mut counts.by_session, entry.session());
        let is_known = sessions.contains_key(name);
        let count = if is_known || (sessions.len() < MAX_SESSIONS && name.len() <= MAX_NAME) {
            sessions.entry(name.to_owned()).or_default()
        } else {
            &mut counts.others
        };
        count.entries += 1;
        count.last = count.last.max(entry.number);
    }

    /// Returns how many entries may be missing among those that are selected.
    pub(super) fn among(&self, selection: &EntryFilter) -> u64 {
        let counts = self.lock();
        let of_session = |(name, count): (&String, &Count)| {
            let is_selected = selection.session.as_ref().is_none_or(|session| session == name);
            is_selected.then_some(*count)
        };
        let selected = counts.by_session.iter().filter_map(of_session).chain([counts.others]);
        selected.filter(|count| count.last > selection.since).map(|count| count.entries).sum()
    }

    /// Forgets the entries of a session, or all entries, because they are no longer wanted.
    pub(super) fn remove(&self, session: Option<&str>) {
        let mut counts = self.lock();
        match session {
            Some(session) => drop(counts.by_session.remove(session)),
            None => *counts = Counts::default(),
        }
    }

    /// Ignores poisoning, because a panic cannot leave the counts in an invalid state.
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
