//! Splits a text into chunks for streaming.

use std::{num::NonZeroUsize, sync::Arc};

/// The size of the chunks of a text. By default, a chunk is one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkSize {
    /// A number of words, each with the whitespace before it. Trailing whitespace belongs to the last
    /// chunk, and a text that consists only of whitespace is a single chunk.
    Words(NonZeroUsize),
    /// A number of characters, so that chunks end within words.
    Characters(NonZeroUsize),
}

impl Default for ChunkSize {
    fn default() -> Self {
        Self::Words(NonZeroUsize::MIN)
    }
}

/// Splits a text into chunks. The concatenated chunks equal the text.
pub struct Chunks {
    size: ChunkSize,
    lengths: Lengths,
    /// The end of the previous chunk.
    position: usize,
    /// The end of the last word of the text.
    last_word_end: usize,
}

/// The lengths of chunks in characters, one by one. By default, there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkLengths(Option<Arc<[usize]>>);

/// The lengths of the chunks, and how many of them are used.
type Lengths = (ChunkLengths, usize);

impl ChunkLengths {
    /// Returns the length with this index.
    fn get(&self, index: usize) -> Option<usize> {
        self.0.as_ref()?.get(index).copied()
    }
}

impl FromIterator<usize> for ChunkLengths {
    fn from_iter<I: IntoIterator<Item = usize>>(lengths: I) -> Self {
        // No chunk is empty.
        Self(Some(lengths.into_iter().filter(|length| *length > 0).collect()))
    }
}

impl Chunks {
    /// Prepares to split `text` into chunks of this size.
    pub fn new(text: &str, size: ChunkSize) -> Self {
        Self::with_lengths(text, size, ChunkLengths::default())
    }

    /// Prepares to split `text` into chunks of these lengths. What follows is in chunks of `size`.
    pub fn with_lengths(text: &str, size: ChunkSize, lengths: ChunkLengths) -> Self {
        Self { size, lengths: (lengths, 0), position: 0, last_word_end: text.trim_end().len() }
    }

    /// Returns the next chunk. `text` must be the text that was passed to [`new`](Self::new).
    pub fn next<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let start = self.position;
        match (self.next_length(), self.size) {
            (Some(characters), _) => self.skip_characters(text, characters),
            (None, ChunkSize::Words(words)) => self.skip_words(text, words),
            (None, ChunkSize::Characters(characters)) => {
                self.skip_characters(text, characters.get());
            }
        }
        (start < self.position).then(|| &text[start..self.position])
    }

    fn next_length(&mut self) -> Option<usize> {
        let (lengths, used) = &mut self.lengths;
        let next = lengths.get(*used)?;
        *used += 1;
        Some(next)
    }

    fn skip_characters(&mut self, text: &str, characters: usize) {
        let next = text[self.position..].char_indices().nth(characters);
        self.position = next.map_or(text.len(), |(at, _)| self.position + at);
    }

    fn skip_words(&mut self, text: &str, words: NonZeroUsize) {
        for _ in 0..words.get() {
            self.position = word_end(text, self.position);
            if self.position >= self.last_word_end {
                self.position = text.len();
                break;
            }
        }
    }
}

/// Returns the end of the first word at or after `start`.
fn word_end(text: &str, start: usize) -> usize {
    // Fast path for ASCII, which does not need decoding.
    let rest = &text.as_bytes()[start..];
    let whitespace = rest.iter().position(|byte| !is_ascii_whitespace(*byte)).unwrap_or(rest.len());
    let word = &rest[whitespace..];
    let word = word.iter().position(|byte| !byte.is_ascii_graphic()).unwrap_or(word.len());
    let end = start + whitespace + word;
    match text.as_bytes().get(end) {
        Some(byte) if !is_ascii_whitespace(*byte) => unicode_word_end(text, start),
        _ => end,
    }
}

/// Equivalent to [`char::is_whitespace`] for ASCII.
fn is_ascii_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn unicode_word_end(text: &str, start: usize) -> usize {
    let word = text[start..].trim_start();
    text.len() - word.len() + word.find(char::is_whitespace).unwrap_or(word.len())
}

#[cfg(test)]
mod tests {
    use std::iter;

    use proptest::prelude::*;

    use super::*;

    fn chunks(text: &str, words: usize) -> Vec<&str> {
        sized(text, ChunkSize::Words(words.try_into().unwrap()))
    }

    fn sized(text: &str, size: ChunkSize) -> Vec<&str> {
        let mut chunks = Chunks::new(text, size);
        iter::from_fn(|| chunks.next(text)).collect()
    }

    #[test]
    fn chunks_of_characters_end_within_words() {
        let size = ChunkSize::Characters(3.try_into().unwrap());
        assert_eq!(sized("Grüß dich \n", size), ["Grü", "ß d", "ich", " \n"]);
        assert_eq!(sized("", size), [""; 0]);
    }

    #[test]
    fn lengths_precede_the_size() {
        let chunked = |lengths: &[usize]| {
            let text = "Grüß dich, du!";
            let lengths = lengths.iter().copied().collect();
            let mut chunks = Chunks::with_lengths(text, ChunkSize::default(), lengths);
            iter::from_fn(|| chunks.next(text)).collect::<Vec<_>>()
        };
        assert_eq!(chunked(&[3, 1]), ["Grü", "ß", " dich,", " du!"]);
        assert_eq!(chunked(&[100, 1]), ["Grüß dich, du!"]);
    }

    #[test]
    fn white_space_precedes_words_and_ends_the_last_chunk() {
        let cases: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("one", &["one"]),
            ("one two", &["one", " two"]),
            ("  one", &["  one"]),
            ("one \n", &["one \n"]),
            (" a  b \n", &[" a", "  b \n"]),
            (" \t\n", &[" \t\n"]),
            ("a\u{a0}b\u{3000}c", &["a", "\u{a0}b", "\u{3000}c"]),
        ];
        for (text, expected) in cases {
            assert_eq!(chunks(text, 1), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn larger_chunks_join_to_the_same_text(
            text in "[a-c \\n\u{3000}]{0,40}", words in 1_usize..6,
        ) {
            let chunked = chunks(&text, words);
            prop_assert_eq!(chunked.concat(), text.as_str());
            prop_assert_eq!(chunked.len(), chunks(&text, 1).len().div_ceil(words));
        }

        #[test]
        fn the_ascii_path_agrees_with_unicode(
            text in "[a\\x07\\x7f \\t\u{b}é\u{85}\u{a0}\u{3000}]{0,8}",
        ) {
            prop_assert_eq!(word_end(&text, 0), unicode_word_end(&text, 0), "{:?}", text);
        }

        #[test]
        fn chunks_joined_are_the_text(text in "(\\PC|\\s){0,40}") {
            let chunks = chunks(&text, 1);
            prop_assert_eq!(&chunks.concat(), &text);
            prop_assert!(chunks.iter().all(|chunk| !chunk.is_empty()));
        }

        #[test]
        fn a_chunk_is_white_space_and_a_word(text in "[a-c \\n\u{3000}]{1,40}") {
            let chunks = chunks(&text, 1);
            let words = text.split_whitespace().count();
            prop_assert_eq!(chunks.len(), words.max(1));
            for chunk in &chunks[..chunks.len() - 1] {
                let word = chunk.trim_start();
                prop_assert!(!word.is_empty() && !word.contains(char::is_whitespace));
            }
        }
    }
}
