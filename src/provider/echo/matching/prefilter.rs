//! A prefilter that skips sentences of long texts if they cannot mention a tool.
//!
//! Every mention of a tool contains one of the tool's anchors, and every form of an anchor starts
//! with the anchor's stem. A sentence can therefore be skipped if no stem occurs in it, not even
//! inside a word. The Wu-Manber algorithm finds the stems and skips most bytes. Existing crates
//! take too long to build an automaton for every call.

use std::{iter, ops::Range};

use memchr::memchr;

use super::index::Index;

/// The only character other than A to Z whose lower-case form is an ASCII letter.
const KELVIN: char = '\u{212a}';
/// The first byte of [`KELVIN`]. Searching for a single byte is much faster.
const KELVIN_BYTE: u8 = 0xe2;
/// The maximum number of bytes of a stem that are compared.
const MAX_STEM: usize = 16;
/// The number of possible hashes of a byte pair.
const PAIRS: usize = 1 << 10;

/// Finds the sentences that may mention a tool.
#[derive(Debug)]
pub(super) struct Prefilter<'n> {
    /// The stems to find: sorted, and none is a prefix of another.
    stems: Vec<&'n [u8]>,
    /// The length of the shortest stem.
    window: usize,
    /// The distance to the next possible stem, indexed by the hash of a window's last two bytes.
    shifts: [u8; PAIRS],
    /// Whether any stem starts with a byte pair, indexed by the hash of the pair.
    prefixes: [bool; PAIRS],
    /// Whether to also search for digits, which may be part of arithmetic.
    digits: bool,
}

impl<'n> Prefilter<'n> {
    /// Builds a prefilter. Returns `None` if there are no stems, or if a stem is not ASCII or has
    /// only one letter.
    pub(super) fn new(index: &Index<'n>) -> Option<Self> {
        let truncate = |stem: &'n str| &stem.as_bytes()[..stem.len().min(MAX_STEM)];
        let mut stems: Vec<_> = index.anchor_stems().map(truncate).collect();
        stems.sort_unstable();
        stems.dedup_by(|next, kept| next.starts_with(kept));
        let window = stems.iter().map(|stem| stem.len()).min()?;
        if window < 2 || !stems.iter().all(|stem| stem.is_ascii()) {
            return None;
        }
        let (mut shifts, mut prefixes) = ([window as u8 - 1; PAIRS], [false; PAIRS]);
        for stem in &stems {
            prefixes[hash_pair(stem[0], stem[1])] = true;
            for (pair, distance) in stem[..window].windows(2).rev().zip(0..) {
                let shift = &mut shifts[hash_pair(pair[0], pair[1])];
                *shift = distance.min(*shift);
            }
        }
        let digits = !index.arithmetic_tools.is_empty();
        Some(Self { stems, window, shifts, prefixes, digits })
    }

    /// Returns the parts of a text that may mention a tool, in order. Each part consists of whole
    /// sentences. Returns `None` if the whole text must be searched.
    pub(super) fn candidates<'s>(&'s self, text: &'s str) -> Option<impl Iterator<Item = &'s str>> {
        if memchr(KELVIN_BYTE, text.as_bytes()).is_some() && text.contains(KELVIN) {
            return None;
        }
        let mut stems = self.find_stems(text.as_bytes()).peekable();
        let searched = if self.digits { text.as_bytes() } else { &[] };
        let mut digits = (0..searched.len()).filter(|at| searched[*at].is_ascii_digit()).peekable();
        let mut from = 0;
        Some(iter::from_fn(move || {
            while stems.next_if(|at| *at < from).is_some() {}
            while digits.next_if(|at| *at < from).is_some() {}
            let hit = [stems.peek(), digits.peek()].into_iter().flatten().min()?;
            let part = sentence_around(text, from, *hit);
            from = part.end;
            Some(&text[part])
        }))
    }

    /// Returns the positions of all stems in `text`.
    fn find_stems<'s>(&'s self, text: &'s [u8]) -> impl Iterator<Item = usize> + 's {
        let ends = text.get(self.window - 2..).unwrap_or_default();
        let mut next = 0;
        iter::from_fn(move || {
            loop {
                let at = self.find_window(ends, next)?;
                next = at + 1;
                if self.prefixes[hash_pair(text[at], text[at + 1])]
                    && self.starts_with_stem(&text[at..])
                {
                    return Some(at);
                }
            }
        })
    }

    /// Returns the first position at or after `from` where a stem may start, judging by the last
    /// two bytes of the window at that position.
    ///
    /// This is the hot loop. It is a separate function so that the compiler keeps its state in
    /// registers.
    #[inline(never)]
    fn find_window(&self, ends: &[u8], from: usize) -> Option<usize> {
        let mut rest = ends.get(from..)?;
        while let [first, second, ..] = rest {
            match self.shifts[hash_pair(*first, *second)] {
                0 => return Some(ends.len() - rest.len()),
                shift => rest = rest.get(usize::from(shift)..)?,
            }
        }
        None
    }

    /// Returns `true` if a text starts with a stem.
    fn starts_with_stem(&self, text: &[u8]) -> bool {
        let lower = || text.iter().map(u8::to_ascii_lowercase);
        let after = self.stems.partition_point(|stem| stem.iter().copied().le(lower()));
        // No stem is a prefix of another, so a stem that is a prefix of the text sorts directly
        // before the text.
        let stem = self.stems[..after].last();
        stem.is_some_and(|stem| lower().take(stem.len()).eq(stem.iter().copied()))
    }
}

/// Hashes two bytes, ignoring case.
fn hash_pair(first: u8, second: u8) -> usize {
    usize::from(first & 31) << 5 | usize::from(second & 31)
}

/// Returns a range of whole sentences that contains `at` and does not start before `from`.
fn sentence_around(text: &str, from: usize, at: usize) -> Range<usize> {
    // Only common sentence endings are detected, so the range may contain several sentences.
    let is_end = |pair: &[u8]| {
        pair[0] == b'\n' || b".!?".contains(&pair[0]) && pair[1].is_ascii_whitespace()
    };
    let bytes = text.as_bytes();
    let before = bytes[from..=at].windows(2).rposition(is_end);
    let after = bytes[at..].windows(2).position(is_end);
    let start = before.map_or(from, |before| from + before + 1);
    start..after.map_or(text.len(), |after| at + after + 1)
}

#[cfg(test)]
mod tests {
    use super::{Index, Prefilter};
    use crate::provider::echo::matching::tool_names::ToolNames;

    fn candidates(names: &[&str], text: &str) -> Option<Vec<String>> {
        let names = ToolNames::new(names.iter().copied());
        let prefilter = Prefilter::new(&Index::new(&names))?;
        Some(prefilter.candidates(text)?.map(|part| part.trim().to_owned()).collect())
    }

    #[test]
    fn passes_sentences_with_a_stem() {
        let text = "Hi! What about my QUERIES?\nNo.5 is late. It rains\tSubqueries. queries";
        let expected = ["What about my QUERIES?", "It rains\tSubqueries.", "queries"];
        assert_eq!(candidates(&["query"], text).unwrap_or_default(), expected);
        assert_eq!(candidates(&["weather"], text).unwrap_or_default(), [expected[1]]);
    }

    #[test]
    fn passes_sentences_with_a_digit_for_arithmetic_tools() {
        assert_eq!(candidates(&["calculate"], "one. 1+1?\nII").unwrap_or_default(), ["1+1?"]);
        assert!(candidates(&["weather"], "one. 1+1?").is_some_and(|parts| parts.is_empty()));
    }

    #[test]
    fn supports_only_ascii_stems_of_several_letters() {
        for names in [&["weather", "über"][..], &["weather", "yes"], &["a_b"], &["_"]] {
            assert_eq!(candidates(names, ""), None, "{names:?}");
        }
    }

    /// The prefilter would miss any other character whose lower-case form is ASCII.
    #[test]
    fn only_the_kelvin_sign_has_an_ascii_lower_case() {
        let lowers_to_ascii =
            |c: &char| !c.is_ascii() && c.to_lowercase().all(|lower| lower.is_ascii());
        assert_eq!(('\0'..=char::MAX).filter(lowers_to_ascii).collect::<String>(), "\u{212a}");
        assert_eq!(candidates(&["clock"], "cloc\u{212a}"), None);
    }
}
