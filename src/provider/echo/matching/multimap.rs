//! A multimap from numbers to numbers, stored as one sorted list.

/// A multimap that is filled, sorted and then read. Unlike a map of lists, it needs no allocation
/// for each key.
#[derive(Debug, Default)]
pub(super) struct Multimap(Vec<(u32, u32)>);

impl Multimap {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, key: u32, value: u32) {
        self.0.push((key, value));
    }

    /// Sorts the entries and removes duplicates. Must be called after the last [`push`](Self::push)
    /// and before any lookup.
    pub(super) fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// Returns the values of `key` in ascending order.
    pub(super) fn get(&self, key: u32) -> impl ExactSizeIterator<Item = u32> {
        let start = self.0.partition_point(|entry| entry.0 < key);
        let length = self.0[start..].partition_point(|entry| entry.0 == key);
        self.0[start..start + length].iter().map(|entry| entry.1)
    }

    /// Returns the distinct keys in ascending order.
    pub(super) fn keys(&self) -> impl Iterator<Item = u32> {
        self.0.chunk_by(|one, next| one.0 == next.0).map(|entries| entries[0].0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, key: u32, value: u32) -> bool {
        self.0.binary_search(&(key, value)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Multimap;

    #[test]
    fn sorts_and_removes_duplicates() {
        let mut map = Multimap::default();
        for (key, value) in [(7, 2), (1, 9), (7, 1), (7, 2)] {
            map.push(key, value);
        }
        map.sort();
        assert_eq!(map.get(7).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(map.get(2).len(), 0);
        assert!(map.contains(1, 9) && !map.contains(1, 2));
        assert_eq!(map.keys().collect::<Vec<_>>(), [1, 7]);
    }
}
