//! The words that matter to any tool, numbered.

use super::plural::{same, stem};

/// Number of a word in [`Terms`].
pub(super) type Term = u32;

/// Words by number, in the order of their stems.
#[derive(Debug)]
pub(super) struct Terms<'n> {
    words: Vec<&'n str>,
    /// The stem of each.
    stems: Vec<&'n str>,
}

impl<'n> Terms<'n> {
    /// Numbers the words; the same word gets the same number wherever it is listed.
    pub(super) fn number(listed: &[&'n str]) -> (Self, Vec<Term>) {
        let places = listed.iter().enumerate();
        let sorted = places.map(|(at, word)| (start(stem(word)), stem(word), *word, at));
        let mut sorted: Vec<_> = sorted.collect();
        sorted.sort_unstable();
        let room = listed.len();
        let mut terms = Self { words: Vec::with_capacity(room), stems: Vec::with_capacity(room) };
        let mut numbers = vec![0; room];
        for (_, stem, word, at) in sorted {
            if terms.words.last() != Some(&word) {
                terms.words.push(word);
                terms.stems.push(stem);
            }
            numbers[at] = as_number(terms.len() - 1);
        }
        (terms, numbers)
    }

    /// How many they are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Those that may be the same as `word`: its stem is theirs.
    pub(super) fn with_stem_of(&self, word: &str) -> impl Iterator<Item = Term> {
        let stem = stem(word);
        let first = self.stems.partition_point(|known| *known < stem);
        let found = self.stems[first..].iter().take_while(move |known| **known == stem);
        found.zip(as_number(first)..).map(|(_, term)| term)
    }

    /// What every word begins with that is the same as a term.
    pub(super) fn stem(&self, term: Term) -> &'n str {
        self.stems[term as usize]
    }

    /// Whether a term is the same as `word`.
    pub(super) fn is_same(&self, term: Term, word: &str) -> bool {
        same(self.words[term as usize], word)
    }
}

/// The first bytes as a number, in the same order as texts, but compared much faster.
fn start(text: &str) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(text.bytes()).for_each(|(first, byte)| *first = byte);
    u64::from_be_bytes(first)
}

/// A number of 32 bits keeps the lists small. A request has far fewer words and tools.
pub(super) fn as_number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Terms;

    #[test]
    fn finds_words_and_their_plurals() {
        let listed = ["users", "box", "weather", "user", "boxe", "users"];
        let (terms, numbers) = Terms::number(&listed);
        let found = |word: &str| -> Vec<&str> {
            let same = terms.with_stem_of(word).filter(|term| terms.is_same(*term, word));
            same.map(|term| terms.words[term as usize]).collect()
        };
        assert_eq!(terms.len(), 5);
        let again: Vec<_> = numbers.iter().map(|term| terms.words[*term as usize]).collect();
        assert_eq!(again, listed);
        assert_eq!(found("user"), ["user", "users"]);
        assert_eq!(found("boxes"), ["box", "boxe"]);
        assert_eq!(found("box"), ["box"]);
        assert!(found("wea").is_empty() && found("training").is_empty());
    }
}
