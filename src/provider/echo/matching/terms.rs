//! Interns the words by which tools are found.

use super::plural::{is_same_word, stem};

/// Index of a word in [`Terms`].
pub(super) type Term = u32;

/// Interned words, sorted by stem.
#[derive(Debug)]
pub(super) struct Terms<'n> {
    words: Vec<&'n str>,
    /// The stem of each word.
    stems: Vec<&'n str>,
}

impl<'n> Terms<'n> {
    /// Interns `listed` words. Also returns the term for each of them, in order.
    pub(super) fn intern(listed: &[&'n str]) -> (Self, Vec<Term>) {
        let keyed = listed.iter().enumerate();
        let keyed = keyed.map(|(at, word)| (prefix(stem(word)), stem(word), *word, at));
        let mut sorted: Vec<_> = keyed.collect();
        sorted.sort_unstable();
        let len = listed.len();
        let mut terms = Self { words: Vec::with_capacity(len), stems: Vec::with_capacity(len) };
        let mut interned = vec![0; len];
        for (_, stem, word, at) in sorted {
            if terms.words.last() != Some(&word) {
                terms.words.push(word);
                terms.stems.push(stem);
            }
            interned[at] = to_u32(terms.len() - 1);
        }
        (terms, interned)
    }

    /// Returns the number of distinct words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the terms with the same stem as `word`, which may still be different words.
    pub(super) fn with_stem_of(&self, word: &str) -> impl Iterator<Item = Term> {
        let stem = stem(word);
        let first = self.stems.partition_point(|known| *known < stem);
        let found = self.stems[first..].iter().take_while(move |known| **known == stem);
        found.zip(to_u32(first)..).map(|(_, term)| term)
    }

    /// Returns the stem of a term. Every form of the word starts with this stem.
    pub(super) fn stem(&self, term: Term) -> &'n str {
        self.stems[term as usize]
    }

    /// Returns `true` if a term is the same word as `word`, apart from a plural ending.
    pub(super) fn is_same_word(&self, term: Term, word: &str) -> bool {
        is_same_word(self.words[term as usize], word)
    }
}

/// Returns the first eight bytes as a number, which sorts like the text but is compared much
/// faster.
fn prefix(text: &str) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(text.bytes()).for_each(|(first, byte)| *first = byte);
    u64::from_be_bytes(first)
}

/// Converts an index to 32 bits, which keeps lists small. No request has more words or tools than
/// 32 bits can count.
pub(super) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Terms;

    #[test]
    fn finds_words_and_plurals() {
        let listed = ["users", "box", "weather", "user", "boxe", "users"];
        let (terms, interned) = Terms::intern(&listed);
        let found = |word: &str| -> Vec<&str> {
            let same = terms.with_stem_of(word).filter(|term| terms.is_same_word(*term, word));
            same.map(|term| terms.words[term as usize]).collect()
        };
        assert_eq!(terms.len(), 5);
        let words: Vec<_> = interned.iter().map(|term| terms.words[*term as usize]).collect();
        assert_eq!(words, listed);
        assert_eq!(found("user"), ["user", "users"]);
        assert_eq!(found("boxes"), ["box", "boxe"]);
        assert_eq!(found("box"), ["box"]);
        assert!(found("wea").is_empty() && found("training").is_empty());
    }
}
