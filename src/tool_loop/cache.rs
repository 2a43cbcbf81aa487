//! The result cache of a tool.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use super::{CacheSettings, output::ToolOutput, transcript::CallKey};
use crate::base::clock::Moment;

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

    pub(super) fn get(&self, key: &CallKey) -> Option<ToolOutput> {
        self.with_entries(|entries| entries.results.get(key).cloned())
    }

    /// Caches a result, unless it alone exceeds the size limit of the cache.
    pub(super) fn insert(&self, key: &CallKey, result: &ToolOutput) {
        let bytes = entry_size(key, result);
        if bytes > self.settings.bytes {
            return;
        }
        self.with_entries(|entries| {
            // If the same call runs twice at the same time, keep the first result.
            if !entries.results.contains_key(key) {
                entries.results.insert(key.clone(), result.clone());
                entries.inserted.push_back((Moment::now(), key.clone()));
                entries.bytes += bytes;
            }
        });
        // Evict the entries that no longer fit.
        self.with_entries(|_| ());
    }

    /// Evicts expired and excess entries, then calls `access`.
    fn with_entries<T>(&self, access: impl FnOnce(&mut Entries) -> T) -> T {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        while entries.inserted.front().is_some_and(|(since, _)| {
            since.age() >= self.settings.ttl
                || entries.inserted.len() > self.settings.entries
                || entries.bytes > self.settings.bytes
        }) {
            entries.evict_oldest();
        }
        access(&mut entries)
    }
}

impl Entries {
    fn evict_oldest(&mut self) {
        let Some((_, key)) = self.inserted.pop_front() else { return };
        if let Some(result) = self.results.remove(&key) {
            self.bytes -= entry_size(&key, &result);
        }
    }
}

/// Returns the size of an entry in bytes, which consists of the key and the result.
fn entry_size(key: &CallKey, result: &ToolOutput) -> usize {
    key.as_str().len() + result.text.len()
}
