//! Numbers that belong to numbers, in one sorted list: a map of lists without a list per key.

/// What belongs to what; sorted once, then read.
#[derive(Debug, Default)]
pub(super) struct Pairs(Vec<(u32, u32)>);

impl Pairs {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, key: u32, value: u32) {
        self.0.push((key, value));
    }

    /// To be called between the last [`push`](Self::push) and the first question.
    pub(super) fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// The values of `key`, in order.
    pub(super) fn of(&self, key: u32) -> impl ExactSizeIterator<Item = u32> {
        let start = self.0.partition_point(|pair| pair.0 < key);
        let length = self.0[start..].partition_point(|pair| pair.0 == key);
        self.0[start..start + length].iter().map(|pair| pair.1)
    }

    /// Every key once, in order.
    pub(super) fn keys(&self) -> impl Iterator<Item = u32> {
        self.0.chunk_by(|one, next| one.0 == next.0).map(|pairs| pairs[0].0)
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
    use super::Pairs;

    #[test]
    fn sorted_and_without_repetition() {
        let mut pairs = Pairs::default();
        for (key, value) in [(7, 2), (1, 9), (7, 1), (7, 2)] {
            pairs.push(key, value);
        }
        pairs.sort();
        assert_eq!(pairs.of(7).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(pairs.of(2).len(), 0);
        assert!(pairs.contains(1, 9) && !pairs.contains(1, 2));
        assert_eq!(pairs.keys().collect::<Vec<_>>(), [1, 7]);
    }
}
