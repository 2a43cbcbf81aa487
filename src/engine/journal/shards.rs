//! Stores the entries of the journal.

use std::{
    cell::Cell,
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

use super::{dropped::Dropped, entry::Entry, packed::Memory};
use crate::chat::Response;

/// The entries, in one shard for each serving thread, so that threads do not wait for each other. The
/// oldest entries are dropped when there is no room.
#[derive(Debug)]
pub(super) struct Shards {
    shards: Box<[Shard]>,
    pub(super) limit: usize,
    bytes: AtomicUsize,
    numbers: AtomicU64,
    dropped: AtomicU64,
    pub(super) dropped_by_session: Dropped,
}

#[derive(Debug)]
struct Shard {
    entries: Mutex<Entries>,
    /// The number of the oldest entry, or [`NONE`].
    oldest: AtomicU64,
}

#[derive(Debug)]
struct Entries {
    /// The entries, oldest first.
    all: VecDeque<Arc<Entry>>,
    memory: Memory,
    /// The bytes of removed entries, which may keep parts of segments from being used again.
    removed: usize,
}

/// Stands for the number of the oldest entry if there is none.
const NONE: u64 = u64::MAX;
/// Removed entries may keep memory of this part of the others.
const MAX_REMOVED: usize = 4;

/// Gives each thread a shard.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static THREAD: Cell<usize> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed));
}

type Locked<'a> = MutexGuard<'a, Entries>;

impl Shards {
    pub(super) fn new(limit: usize) -> Self {
        let shards = thread::available_parallelism().map_or(1, usize::from);
        let shard = |_| Shard::new(limit);
        Self {
            shards: (0..shards).map(shard).collect(),
            limit,
            bytes: AtomicUsize::new(0),
            numbers: AtomicU64::new(1),
            dropped: AtomicU64::new(0),
            dropped_by_session: Dropped::default(),
        }
    }

    /// Adds an entry and gives it the next number. Returns the entry, and how many were dropped.
    pub(super) fn add(&self, mut entry: Entry<&Response>) -> (Arc<Entry>, u64) {
        let shard = &self.shards[THREAD.get() % self.shards.len()];
        let mut entries = shard.lock();
        // Under the lock, so that readers, who lock all shards, see no gap.
        entry.number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let entry = Arc::new(entry.stored(&mut entries.memory));
        let size = entry.size();
        if size > self.limit {
            // Without any room, the journal is off.
            let dropped = u64::from(self.limit > 0);
            self.dropped.fetch_add(dropped, Ordering::Relaxed);
            self.dropped_by_session.add(&entry);
            return (entry, dropped);
        }
        entries.all.push_back(entry.clone());
        shard.update(&entries);
        drop(entries);
        let bytes = self.bytes.fetch_add(size, Ordering::Relaxed) + size;
        let dropped = if bytes > self.limit { self.shrink() } else { 0 };
        (entry, dropped)
    }

    /// Drops the oldest entries until the rest is within the limit. Returns their number.
    fn shrink(&self) -> u64 {
        let mut dropped = 0;
        while self.bytes.load(Ordering::Relaxed) > self.limit {
            let oldest = |shard: &&Shard| shard.oldest.load(Ordering::Relaxed);
            let Some(shard) = self.shards.iter().min_by_key(oldest) else { break };
            let mut entries = shard.lock();
            let Some(entry) = entries.all.pop_front() else { break };
            // Under the lock, so that a reader who misses the entry finds it counted.
            self.dropped_by_session.add(&entry);
            shard.update(&entries);
            self.bytes.fetch_sub(entry.size(), Ordering::Relaxed);
            // A reader that has the entry frees it.
            if let Some(entry) = Arc::into_inner(entry) {
                entry.free(&mut entries.memory);
            }
            dropped += 1;
        }
        self.dropped.fetch_add(dropped, Ordering::Relaxed);
        dropped
    }

    /// Returns the number of the newest entry, or 0 if there was none.
    pub(super) fn newest(&self) -> u64 {
        self.numbers.load(Ordering::Relaxed) - 1
    }

    /// Returns the entries with a number above `since`, oldest first.
    pub(super) fn since(&self, since: u64) -> Vec<Arc<Entry>> {
        let all: Vec<Locked<'_>> = self.shards.iter().map(Shard::lock).collect();
        let mut found = Vec::new();
        for entries in &all {
            // The numbers of a shard increase.
            let start = entries.all.partition_point(|entry| entry.number <= since);
            found.extend(entries.all.range(start..).cloned());
        }
        drop(all);
        found.sort_unstable_by_key(|entry| entry.number);
        found
    }

    /// Removes the entries that are selected. Returns their number.
    pub(super) fn remove(&self, is_selected: impl Fn(&Entry) -> bool) -> usize {
        self.shards
            .iter()
            .map(|shard| {
                let mut entries = shard.lock();
                let (count, bytes) = entries.remove(&is_selected);
                shard.update(&entries);
                self.bytes.fetch_sub(bytes, Ordering::Relaxed);
                count
            })
            .sum()
    }

    /// Returns how many entries were dropped because there was no room.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Entries {
    /// Removes the entries that are selected. Returns their number and their size.
    fn remove(&mut self, is_selected: impl Fn(&Entry) -> bool) -> (usize, usize) {
        let (count, mut bytes, mut kept) = (self.all.len(), 0, 0);
        self.all.retain(|entry| {
            let is_removed = is_selected(entry);
            *(if is_removed { &mut bytes } else { &mut kept }) += entry.size();
            !is_removed
        });
        self.removed += bytes;
        if self.removed > kept / MAX_REMOVED {
            self.compact();
        }
        (count - self.all.len(), bytes)
    }

    /// Moves the entries together, so that no removed entries are between them.
    fn compact(&mut self) {
        self.removed = 0;
        for entry in self.all.iter_mut().filter_map(Arc::get_mut) {
            entry.relocate(&mut self.memory);
        }
    }
}

impl Shard {
    fn new(limit: usize) -> Self {
        let entries = Entries { all: VecDeque::new(), memory: Memory::new(limit), removed: 0 };
        Self { entries: Mutex::new(entries), oldest: AtomicU64::new(NONE) }
    }

    /// Ignores poisoning, because a panic cannot leave the entries in an invalid state.
    fn lock(&self) -> Locked<'_> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, entries: &Entries) {
        let oldest = entries.all.front().map_or(NONE, |entry| entry.number);
        self.oldest.store(oldest, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::engine::journal::entry::Outcome;

    fn entry(component: &str) -> Entry<&'static Response> {
        Entry {
            number: 0,
            time: Timestamp::default(),
            duration: std::time::Duration::ZERO,
            surface: None,
            session: None,
            trace: None,
            component: component.into(),
            is_streamed: false,
            request: None,
            outcome: Outcome::Cancelled,
            answered_by: Vec::new(),
        }
    }

    fn size(component: &str) -> usize {
        entry(component).stored(&mut Memory::new(0)).size()
    }

    fn numbers(shards: &Shards, since: u64) -> Vec<u64> {
        shards.since(since).iter().map(|entry| entry.number).collect()
    }

    #[test]
    fn drops_the_oldest_entries_of_all_threads() {
        let size = size("a");
        let shards = Shards::new(3 * size);
        for _ in 0..5 {
            thread::scope(|scope| drop(scope.spawn(|| shards.add(entry("a"))).join().unwrap()));
        }
        assert_eq!(numbers(&shards, 0), [3, 4, 5]);
        assert_eq!(numbers(&shards, 4), [5]);
        assert_eq!(shards.dropped(), 2);
        let (_, dropped) = shards.add(entry(&"a".repeat(4 * size)));
        assert_eq!((dropped, numbers(&shards, 0)), (1, vec![3, 4, 5]));
    }

    #[test]
    fn removes_selected_entries() {
        let shards = Shards::new(1 << 20);
        for component in ["a", "b", "a"] {
            shards.add(entry(component));
        }
        assert_eq!(shards.remove(|entry| &*entry.component == "a"), 2);
        assert_eq!(numbers(&shards, 0), [2]);
        assert_eq!(shards.bytes.load(Ordering::Relaxed), size("b"));
        assert_eq!(shards.dropped(), 0);
    }
}
