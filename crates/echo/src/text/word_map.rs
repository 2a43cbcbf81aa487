//! Looks up words in fixed lists.

/// A map from words to values. A lookup ignores the case of ASCII letters.
#[derive(Debug)]
pub(crate) struct WordMap<V> {
    /// The entries by the hash of the word.
    buckets: Vec<Vec<(String, V)>>,
    longest: usize,
}

impl<V> WordMap<V> {
    /// Creates a map. If a word occurs several times, its first value counts.
    pub(crate) fn new(entries: impl IntoIterator<Item = (impl Into<String>, V)>) -> Self {
        let entries: Vec<(String, V)> =
            entries.into_iter().map(|(word, value)| (word.into(), value)).collect();
        let count = (4 * entries.len()).next_power_of_two();
        let longest = entries.iter().map(|(word, _)| word.len()).max().unwrap_or(0);
        let mut buckets: Vec<_> = std::iter::repeat_with(Vec::new).take(count).collect();
        for entry in entries {
            let bucket = bucket(hash_word(&entry.0), count);
            buckets[bucket].push(entry);
        }
        Self { buckets, longest }
    }

    /// Returns the value of a word.
    pub(crate) fn get(&self, word: &str) -> Option<&V> {
        if word.len() > self.longest {
            return None;
        }
        let bucket = &self.buckets[bucket(hash_word(word), self.buckets.len())];
        bucket.iter().find(|(it, _)| it.eq_ignore_ascii_case(word)).map(|(_, value)| value)
    }
}

/// Returns the bucket of a word with this [hash](hash_word), of `count` buckets. `count` must be a power
/// of two.
fn bucket(hash: u32, count: usize) -> usize {
    hash as usize & (count - 1)
}

/// Returns a hash of a word that does not depend on the case of ASCII letters (FNV-1a).
fn hash_word(word: &str) -> u32 {
    let hash = word.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte | 0x20)).wrapping_mul(0x0100_0193)
    });
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::WordMap;

    #[test]
    fn finds_words_in_any_case() {
        let map = WordMap::new([("one", 1), ("two", 2), ("$", 3), ("one", 4)]);
        let found = ["one", "TWO", "$", "\u{4}", "three", ""].map(|word| map.get(word).copied());
        assert_eq!(found, [Some(1), Some(2), Some(3), None, None, None]);
        assert_eq!(WordMap::<u8>::new([("", 0); 0]).get(""), None);
    }
}
