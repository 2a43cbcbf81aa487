//! The results of one tool, kept for equal calls of any run.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use super::CacheSettings;
use crate::clock::Moment;

/// Results by call, the oldest of which go first.
#[derive(Debug)]
pub(super) struct Cache {
    settings: CacheSettings,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    results: BTreeMap<String, String>,
    /// In the order in which they were kept, which is the order in which they end.
    ages: VecDeque<(Moment, String)>,
    bytes: usize,
}

impl Cache {
    pub(super) fn new(settings: CacheSettings) -> Self {
        Self { settings, kept: Mutex::default() }
    }

    pub(super) fn get(&self, key: &str) -> Option<String> {
        self.kept(|kept| kept.results.get(key).cloned())
    }

    /// Keeps a result, unless it is larger than all that may be kept.
    pub(super) fn keep(&self, key: &str, result: &str) {
        let bytes = key.len() + result.len();
        if bytes > self.settings.bytes {
            return;
        }
        self.kept(|kept| {
            // Of two calls at once the first result stays.
            if !kept.results.contains_key(key) {
                kept.results.insert(key.to_owned(), result.to_owned());
                kept.ages.push_back((Moment::now(), key.to_owned()));
                kept.bytes += bytes;
            }
        });
        // What is too much now goes at once.
        self.kept(|_| ());
    }

    /// Looks at what is neither too old nor too much.
    fn kept<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.ages.front().is_some_and(|(since, _)| {
            since.age() >= self.settings.ttl
                || kept.ages.len() > self.settings.entries
                || kept.bytes > self.settings.bytes
        }) {
            kept.drop_oldest();
        }
        look(&mut kept)
    }
}

impl Kept {
    fn drop_oldest(&mut self) {
        let Some((_, key)) = self.ages.pop_front() else { return };
        let result = self.results.remove(&key);
        self.bytes -= key.len() + result.map_or(0, |result| result.len());
    }
}
