//! What of a text is worth reading: most of it is about other things than tools.
//!
//! Whatever mentions a tool has an anchor of it, and all forms of a word begin with its stem. So a
//! sentence without any stem, be it inside a word, is passed over. The search for stems is Wu and
//! Manber's, which skips most bytes; what crates have takes longer to build than a call may take.

use std::{iter, ops::Range};

use memchr::memchr;

use super::index::Index;

/// The one sign beside A to Z that is a letter of ASCII in lower case.
const KELVIN: char = '\u{212a}';
/// Its first byte: where that is not, it is not, and this is seen much sooner.
const KELVIN_BYTE: u8 = 0xe2;
/// So many bytes of a stem are compared at most.
const MAX_STEM: usize = 16;
/// How many numbers [`pair`] gives.
const PAIRS: usize = 1 << 10;

/// Finds the sentences that may mention a tool.
#[derive(Debug)]
pub(super) struct Filter<'n> {
    /// In order; none begins with another one.
    stems: Vec<&'n [u8]>,
    /// The length of the shortest stem.
    window: usize,
    /// How far ahead the next stem may begin, by the last two bytes of a window.
    skips: [u8; PAIRS],
    /// Whether a stem begins with these two bytes.
    begins: [bool; PAIRS],
    /// Whether digits, which may be arithmetic, are looked for too.
    digits: bool,
}

impl<'n> Filter<'n> {
    /// A filter for these tools. There is none for words of one letter, or with others than ASCII's.
    pub(super) fn of(index: &Index<'n>) -> Option<Self> {
        let short = |stem: &'n str| &stem.as_bytes()[..stem.len().min(MAX_STEM)];
        let mut stems: Vec<_> = index.stems().map(short).collect();
        stems.sort_unstable();
        stems.dedup_by(|next, kept| next.starts_with(kept));
        let window = stems.iter().map(|stem| stem.len()).min()?;
        if window < 2 || !stems.iter().all(|stem| stem.is_ascii()) {
            return None;
        }
        let (mut skips, mut begins) = ([window as u8 - 1; PAIRS], [false; PAIRS]);
        for stem in &stems {
            begins[pair(stem[0], stem[1])] = true;
            for (two, ahead) in stem[..window].windows(2).rev().zip(0..) {
                let skip = &mut skips[pair(two[0], two[1])];
                *skip = ahead.min(*skip);
            }
        }
        Some(Self { stems, window, skips, begins, digits: !index.calculators.is_empty() })
    }

    /// The parts of a text that are worth reading, in order: whole sentences. `None` is all of it.
    pub(super) fn parts<'s>(&'s self, text: &'s str) -> Option<impl Iterator<Item = &'s str>> {
        if memchr(KELVIN_BYTE, text.as_bytes()).is_some() && text.contains(KELVIN) {
            return None;
        }
        let mut stems = self.stems_in(text.as_bytes()).peekable();
        let searched = if self.digits { text.as_bytes() } else { &[] };
        let mut digits = (0..searched.len()).filter(|at| searched[*at].is_ascii_digit()).peekable();
        let mut from = 0;
        Some(iter::from_fn(move || {
            while stems.next_if(|at| *at < from).is_some() {}
            while digits.next_if(|at| *at < from).is_some() {}
            let hit = [stems.peek(), digits.peek()].into_iter().flatten().min()?;
            let part = sentence(text, from, *hit);
            from = part.end;
            Some(&text[part])
        }))
    }

    /// Where stems begin.
    fn stems_in<'s>(&'s self, text: &'s [u8]) -> impl Iterator<Item = usize> + 's {
        let ends = text.get(self.window - 2..).unwrap_or_default();
        let mut next = 0;
        iter::from_fn(move || {
            loop {
                let at = self.window_of_stems(ends, next)?;
                next = at + 1;
                if self.begins[pair(text[at], text[at + 1])] && self.is_at(&text[at..]) {
                    return Some(at);
                }
            }
        })
    }

    /// The first window, at `from` or after, that ends as that of a stem. Most of the time is spent
    /// here, where registers are few: so by itself.
    #[inline(never)]
    fn window_of_stems(&self, ends: &[u8], from: usize) -> Option<usize> {
        let mut rest = ends.get(from..)?;
        while let [one, other, ..] = rest {
            match self.skips[pair(*one, *other)] {
                0 => return Some(ends.len() - rest.len()),
                skip => rest = rest.get(usize::from(skip)..)?,
            }
        }
        None
    }

    /// Whether a text begins with a stem.
    fn is_at(&self, text: &[u8]) -> bool {
        let lower = || text.iter().map(u8::to_ascii_lowercase);
        let after = self.stems.partition_point(|stem| stem.iter().copied().le(lower()));
        // One that begins the text comes right before it: none begins with another.
        let stem = self.stems[..after].last();
        stem.is_some_and(|stem| lower().take(stem.len()).eq(stem.iter().copied()))
    }
}

/// A number for two bytes in either case; others may have it too.
fn pair(one: u8, other: u8) -> usize {
    usize::from(one & 31) << 5 | usize::from(other & 31)
}

/// The sentence around `at`, or several of them, where none before `from` counts.
fn sentence(text: &str, from: usize, at: usize) -> Range<usize> {
    // Not all ends of sentences, but no others; whoever reads the part cuts it again.
    let ends = |pair: &[u8]| {
        pair[0] == b'\n' || b".!?".contains(&pair[0]) && pair[1].is_ascii_whitespace()
    };
    let bytes = text.as_bytes();
    let before = bytes[from..=at].windows(2).rposition(ends);
    let after = bytes[at..].windows(2).position(ends);
    let start = before.map_or(from, |before| from + before + 1);
    start..after.map_or(text.len(), |after| at + after + 1)
}

#[cfg(test)]
mod tests {
    use super::{Filter, Index};
    use crate::provider::echo::matching::names::Names;

    fn parts(names: &[&str], text: &str) -> Option<Vec<String>> {
        let names = Names::of(names.iter().copied());
        let filter = Filter::of(&Index::of(&names))?;
        Some(filter.parts(text)?.map(|part| part.trim().to_owned()).collect())
    }

    #[test]
    fn sentences_with_a_stem_pass() {
        let text = "Hi! What about my QUERIES?\nNo.5 is late. It rains\tSubqueries. queries";
        let expected = ["What about my QUERIES?", "It rains\tSubqueries.", "queries"];
        assert_eq!(parts(&["query"], text).unwrap_or_default(), expected);
        assert_eq!(parts(&["weather"], text).unwrap_or_default(), [expected[1]]);
    }

    #[test]
    fn sentences_with_a_digit_pass_where_somebody_calculates() {
        assert_eq!(parts(&["calculate"], "one. 1+1?\nII").unwrap_or_default(), ["1+1?"]);
        assert!(parts(&["weather"], "one. 1+1?").is_some_and(|parts| parts.is_empty()));
    }

    #[test]
    fn not_all_words_can_be_found() {
        for names in [&["weather", "über"][..], &["weather", "yes"], &["a_b"], &["_"]] {
            assert_eq!(parts(names, ""), None, "{names:?}");
        }
    }

    /// Signs beside ASCII that are letters of it in lower case would be missed.
    #[test]
    fn the_kelvin_sign_is_alone() {
        let of_ascii = |c: &char| !c.is_ascii() && c.to_lowercase().all(|lower| lower.is_ascii());
        assert_eq!(('\0'..=char::MAX).filter(of_ascii).collect::<String>(), "\u{212a}");
        assert_eq!(parts(&["clock"], "cloc\u{212a}"), None);
    }
}
