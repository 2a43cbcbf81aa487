//! The results of one tool, kept for equal calls of any run.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use super::{CacheSettings, output::Output, transcript::CallKey};
use crate::base::clock::Moment;

/// Results by call, the oldest of which go first.
#[derive(Debug)]
pub(super) struct Cache {
    settings: CacheSettings,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    results: BTreeMap<CallKey, Output>,
    /// In the order in which they were kept, which is the order in which they end.
    ages: VecDeque<(Moment, CallKey)>,
    bytes: usize,
}

impl Cache {
    pub(super) fn new(settings: CacheSettings) -> Self {
        Self { settings, kept: Mutex::default() }
    }

    pub(super) fn get(&self, key: &CallKey) -> Option<Output> {
        self.kept(|kept| kept.results.get(key).cloned())
    }

    /// Keeps a result, unless it is larger than all that may be kept.
    pub(super) fn keep(&self, key: &CallKey, result: &Output) {
        let bytes = size(key, result);
        if bytes > self.settings.bytes {
            return;
        }
        self.kept(|kept| {
            // Of two calls at once the first result stays.
            if !kept.results.contains_key(key) {
                kept.results.insert(key.clone(), result.clone());
                kept.ages.push_back((Moment::now(), key.clone()));
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
        if let Some(result) = self.results.remove(&key) {
            self.bytes -= size(&key, &result);
        }
    }
}

/// What it counts for, in bytes.
fn size(key: &CallKey, result: &Output) -> usize {
    key.as_str().len() + result.text.len()
}
