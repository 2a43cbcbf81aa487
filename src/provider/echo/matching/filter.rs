//! Finds the words of a text that may be anchors, without splitting the text into words.
//!
//! The filter compares the first three bytes of each word with those of the anchors. Most texts
//! mention tools only in few sentences, so that most words are only read here.

use memchr::memmem;

/// The only character other than A to Z whose lower-case form is an ASCII letter.
const KELVIN: char = '\u{212a}';
/// The number of bits for the code of a byte.
const BITS: usize = 5;
/// The number of possible codes of three bytes.
const CODES: usize = 1 << (3 * BITS);

/// The codes of the first three bytes of all anchors.
#[derive(Debug)]
pub(super) struct Filter {
    prefixes: [u64; CODES / 64],
}

impl Filter {
    /// Creates the filter for canonical words and, if `has_numbers`, for all numbers. Returns `None`
    /// if a word is not ASCII.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w str>, has_numbers: bool) -> Option<Self> {
        let mut filter = Self { prefixes: [0; CODES / 64] };
        for word in words {
            if !word.is_ascii() {
                return None;
            }
            // A final i may be a y in the text.
            let prefix = &word.as_bytes()[..word.len().min(3)];
            match (word.len(), prefix) {
                (..=3, [start @ .., b'i']) => {
                    filter.add(prefix);
                    filter.add(&[start, b"y"].concat());
                }
                _ => filter.add(prefix),
            }
        }
        if has_numbers {
            (b'0'..=b'9').for_each(|digit| filter.add(&[digit]));
        }
        Some(filter)
    }

    /// Adds all words that start with a prefix of at most three bytes.
    fn add(&mut self, prefix: &[u8]) {
        let unknown_bits = BITS * (3 - prefix.len());
        let first = prefix.iter().fold(0, |code, byte| push_code(code, *byte)) << unknown_bits;
        for code in first..first + (1 << unknown_bits) {
            self.prefixes[code / 64] |= 1 << (code % 64);
        }
    }

    /// Returns `true` if the filter can be applied to a text.
    pub(super) fn applies_to(&self, text: &str) -> bool {
        let mut kelvin = [0; 4];
        text.is_ascii()
            || memmem::find(text.as_bytes(), KELVIN.encode_utf8(&mut kelvin).as_bytes()).is_none()
    }

    /// Returns the position of the first word at or after `from` that may be an anchor.
    ///
    /// This is the hot loop, so it has only one branch.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let before = from.checked_sub(1).map_or(b' ', |before| text[before]);
        let mut continues_word = before.is_ascii_alphanumeric();
        let (mut code, mut starts) = (0, 0_u8);
        for (at, byte) in text[from..].iter().chain(b"  ").enumerate() {
            let is_start =
                byte.is_ascii_uppercase() | !continues_word & byte.is_ascii_alphanumeric();
            continues_word = byte.is_ascii_alphanumeric();
            starts = starts << 1 | u8::from(is_start);
            code = push_code(code, *byte);
            if u64::from(starts >> 2) & self.prefixes[code / 64] >> (code % 64) & 1 != 0 {
                return Some(from + at - 2);
            }
        }
        None
    }
}

/// Appends a byte to the code of the two bytes before it.
fn push_code(code: usize, byte: u8) -> usize {
    (code << BITS | usize::from(BYTE_CODES[usize::from(byte)])) % CODES
}

/// Letters, in either case, have codes of their own. Digits share a few. All other bytes have 0.
const BYTE_CODES: [u8; 256] = {
    let mut codes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let letter = byte as u8 & 31;
        codes[byte] = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' => letter,
            b'0'..=b'9' => 27 + letter % 5,
            _ => 0,
        };
        byte += 1;
    }
    codes
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Filter;
    use crate::provider::echo::text::{canonical, words};

    #[test]
    fn finds_starts_of_words_only() {
        let filter = Filter::new(["rain", "do"].into_iter(), false).unwrap();
        let find = |text: &str, from| filter.find(text.as_bytes(), from);
        assert_eq!(find("training", 0), None);
        assert_eq!(find("a RAINY day", 0), Some(2));
        assert_eq!(find("a RAINY day", 3), None);
        assert_eq!(find("itRains do", 0), Some(2));
        assert_eq!(find("itRains do", 3), Some(8));
        assert!(Filter::new(["天気"].into_iter(), false).is_none());
        assert!(!filter.applies_to("\u{212a}") && filter.applies_to("é"));
    }

    proptest! {
        #[test]
        fn finds_every_word(text in "[aAbBsSyie1 é天_.]{0,12}|\\PC{0,8}") {
            for word in words(&text) {
                for range in [word.range, word.run] {
                    let form = canonical(&text[range.clone()]);
                    if let Some(filter) = Filter::new([&*form].into_iter(), false) {
                        let find = |from| filter.find(text.as_bytes(), from);
                        let mut found = std::iter::successors(find(0), |at| find(at + 1));
                        prop_assert!(
                            !filter.applies_to(&text) || found.any(|at| at == range.start)
                        );
                    }
                }
            }
        }
    }
}
