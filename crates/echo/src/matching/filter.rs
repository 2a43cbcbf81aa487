//! Finds the words of a text that may mention a tool, without splitting the text into words.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, Input, MatchKind};

/// The maximum number of bytes of a word that are compared.
const MAX_PREFIX: usize = 8;
/// The only character other than A to Z whose lower-case form is an ASCII letter.
const KELVIN: char = '\u{212a}';

/// Finds words that start like certain canonical words, and operators.
#[derive(Debug)]
pub(super) struct Filter(AhoCorasick);

impl Filter {
    /// Creates a filter for canonical words and operators. Returns `None` if it would not be exact,
    /// because the words are not ASCII, or not fast.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w str>) -> Option<Self> {
        // A final i may be a y in the text.
        let prefix = |word: &'w str| {
            let stem = word.strip_suffix('i').unwrap_or(word);
            let prefix = stem.as_bytes().get(..MAX_PREFIX).unwrap_or(stem.as_bytes());
            (word.is_ascii() && !prefix.is_empty()).then_some(prefix)
        };
        let prefixes: BTreeSet<_> = words.map(prefix).collect::<Option<_>>()?;
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::LeftmostFirst).build(prefixes).ok().map(Self)
    }

    /// Returns `true` if the filter can be applied to a text.
    pub(super) fn applies_to(text: &str) -> bool {
        text.is_ascii() || !text.contains(KELVIN)
    }

    /// Returns the positions in a text of the words that start like one of the words, and of the
    /// operators before digits.
    pub(super) fn find(&self, text: &str) -> impl Iterator<Item = usize> {
        let continues_word = |at: usize| {
            at.checked_sub(1).is_some_and(|it| text.as_bytes()[it].is_ascii_alphanumeric())
        };
        let is_start = move |at: &usize| match text.as_bytes()[*at] {
            b'A'..=b'Z' => true,
            b'a'..=b'z' | b'0'..=b'9' => !continues_word(*at),
            _ => text[at + 1..].trim_start().starts_with(|c: char| c.is_ascii_digit()),
        };
        // Comparing the text in lower case is several times as fast as ignoring the case.
        let lowercase = text.to_ascii_lowercase();
        let mut from = 0;
        let found = std::iter::from_fn(move || {
            let at = self.0.find(Input::new(&lowercase).range(from..))?.start();
            from = at + 1;
            Some(at)
        });
        found.filter(is_start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Filter;
    use crate::text::{canonical, words};

    fn find(words: &[&str], text: &str) -> Vec<usize> {
        Filter::new(words.iter().copied()).unwrap().find(text).collect()
    }

    #[test]
    fn finds_starts_of_words_only() {
        assert_eq!(find(&["rain", "do"], "training, a RAINY day itRains do undo"), [12, 24, 30]);
        assert_eq!(find(&["queri", "nb"], "QUERY rainBow"), [0]);
        assert!(Filter::new(["天気"].into_iter()).is_none());
        assert!(!Filter::applies_to("\u{212a}") && Filter::applies_to("é"));
    }

    proptest! {
        #[test]
        fn finds_every_word(text in "[aAbBsSyie1 é天_.]{0,12}|\\PC{0,8}") {
            for word in words(&text).filter(|_| Filter::applies_to(&text)) {
                for range in [word.range, word.run] {
                    let form = canonical(&text[range.clone()]);
                    if Filter::new([&*form].into_iter()).is_some() {
                        prop_assert!(find(&[&form], &text).contains(&range.start));
                    }
                }
            }
        }
    }
}
