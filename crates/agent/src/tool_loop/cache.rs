//! The result cache of a tool.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use mynah_core::base::clock::Moment;

use super::{CacheSettings, output::ToolOutput, transcript::CallKey};

/// Caches a tool's results, keyed by call, for all runs of a loop. The oldest results are evicted
/// first.
#[derive(Debug)]
pub(super) struct Cache {
    settings: CacheSettings,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    results: BTreeMap<CallKey, ToolOutput>,
    /// The entries with their insertion times, oldest first. All entries have the same TTL, so they
    /// also expire in this order.
    inserted: VecDeque<(Moment, CallKey)>,
    bytes: usize,
}

impl Cache {
    pub(super) fn new(settings: CacheSettings) -> Self {
        Self { settings, entries: Mutex::default() }
    }

    /// Returns the size of all entries.
    pub(super) fn bytes(&self) -> usize {
        self.entries().bytes
    }

    pub(super) fn get(&self, key: &CallKey) -> Option<ToolOutput> {
        self.entries().results.get(key).cloned()
    }

    /// Caches a result, unless it alone exceeds the size limit of the cache.
    pub(super) fn insert(&self, key: &CallKey, result: &ToolOutput) {
        let bytes = entry_size(key, result);
        let mut entries = self.entries();
        // If the same call runs twice at the same time, keep the first result.
        if bytes <= self.settings.bytes && !entries.results.contains_key(key) {
            entries.results.insert(key.clone(), result.clone());
            entries.inserted.push_back((Moment::now(), key.clone()));
            entries.bytes += bytes;
            self.evict(&mut entries);
        }
    }

    /// Returns the entries that have not expired.
    fn entries(&self) -> MutexGuard<'_, Entries> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        self.evict(&mut entries);
        entries
    }

    /// Evicts expired and excess entries.
    fn evict(&self, entries: &mut Entries) {
        let CacheSettings { ttl, entries: max_entries, bytes } = self.settings;
        while let Some((inserted, key)) = entries.inserted.front()
            && (inserted.age() >= ttl
                || entries.inserted.len() > max_entries
                || entries.bytes > bytes)
        {
            if let Some(result) = entries.results.remove(key) {
                entries.bytes -= entry_size(key, &result);
            }
            entries.inserted.pop_front();
        }
    }
}

/// Returns the size of an entry in bytes, which consists of the key and the result.
fn entry_size(key: &CallKey, result: &ToolOutput) -> usize {
    key.as_str().len() + result.text.len()
}
