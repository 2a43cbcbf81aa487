//! A small cache. Each serving thread has its own caches, which need no lock.

use std::rc::Rc;

/// The maximum number of values.
pub const MAX_ENTRIES: usize = 16;
/// The maximum size of all values in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The most recently used values: applications offer and call the same tools every time, and the
/// turns of a conversation follow the same chain.
pub struct RecentlyUsed<T> {
    max_entries: usize,
    /// From the least to the most recently used.
    entries: Vec<Entry<T>>,
}

struct Entry<T> {
    value: Rc<T>,
    size: usize,
}

impl<T> RecentlyUsed<T> {
    /// Creates an empty cache.
    pub const fn new(max_entries: usize) -> Self {
        Self { max_entries, entries: Vec::new() }
    }

    /// Returns the value that `is_wanted`. If the cache does not contain it, `make` returns the value
    /// and an estimate of its size in bytes.
    pub fn get(
        &mut self,
        is_wanted: impl Fn(&T) -> bool,
        make: impl FnOnce() -> (T, usize),
    ) -> Rc<T> {
        let entry = match self.entries.iter().rposition(|entry| is_wanted(&entry.value)) {
            Some(at) => self.entries.remove(at),
            None => {
                let (value, size) = make();
                Entry { value: Rc::new(value), size }
            }
        };
        let value = Rc::clone(&entry.value);
        self.entries.push(entry);
        self.shrink();
        value
    }

    fn shrink(&mut self) {
        while self.entries.len() > self.max_entries
            || self.entries.iter().map(|entry| entry.size).sum::<usize>() > MAX_BYTES
        {
            self.entries.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, RecentlyUsed};

    /// Returns whether the cache contains the value, which is used in any case.
    fn contains(cache: &mut RecentlyUsed<u8>, value: u8) -> bool {
        let mut is_new = false;
        cache.get(
            |it| *it == value,
            || {
                is_new = true;
                (value, 8)
            },
        );
        !is_new
    }

    #[test]
    fn keeps_the_most_recently_used_values() {
        let mut cache = RecentlyUsed::new(2);
        let found = [1, 2, 1, 3, 1, 3, 4, 1].map(|value| contains(&mut cache, value));
        assert_eq!(found, [false, false, true, false, true, true, false, false]);
    }

    #[test]
    fn large_values_are_not_kept() {
        let mut cache = RecentlyUsed::new(2);
        assert_eq!(*cache.get(|_| true, || (1, MAX_BYTES + 1)), 1);
        assert!(cache.entries.is_empty());
    }
}
