//! Finds what stands between instruction tags.

use std::{ops::Range, sync::LazyLock};

use memchr::memmem::{self, Finder};

/// Begins a block.
pub const START: &str = "<|instruction_start|>";
/// Ends a block.
pub const END: &str = "<|instruction_end|>";
/// What both begin with.
const EITHER: &str = "<|instruction_";

/// Made once: a history has many texts, and hardly any has a tag.
static START_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(START));

/// The insides of the outermost blocks of a text, in order.
///
/// A block within a block belongs to the outer one, so that a chain can hold a chain in a string.
/// An end tag without a start tag is text; a start tag without an end tag means that there is no
/// block at all.
pub(super) fn blocks(text: &str) -> Vec<Range<usize>> {
    let (mut blocks, mut depth, mut inside) = (Vec::new(), 0_usize, 0);
    let Some(first) = START_FINDER.find(text.as_bytes()) else { return blocks };
    for at in memmem::find_iter(&text.as_bytes()[first..], EITHER).map(|at| first + at) {
        if text[at..].starts_with(START) {
            depth += 1;
            if depth == 1 {
                inside = at + START.len();
            }
        } else if text[at..].starts_with(END) && depth > 0 {
            depth -= 1;
            if depth == 0 {
                blocks.push(inside..at);
            }
        }
    }
    if depth > 0 {
        blocks.clear();
    }
    blocks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The blocks of a text in which S and E stand for the tags.
    fn found(short: &str) -> Vec<String> {
        let text = short.replace('S', "\0").replace('E', END).replace('\0', START);
        let blocks = blocks(&text).into_iter().map(|block| text[block].to_owned());
        blocks.map(|block| block.replace(START, "S").replace(END, "E")).collect()
    }

    /// The table 7.7.
    #[test]
    fn blocks_are_matched_by_depth() {
        let table: [(&str, &[&str]); 12] = [
            ("S A E", &[" A "]),
            ("S A E S B E", &[" A ", " B "]),
            ("E S A E", &[" A "]),
            ("S A S B E C E", &[" A S B E C "]),
            ("S S A E", &[]),
            ("S A", &[]),
            ("S A E S B", &[]),
            ("SE", &[""]),
            ("S A E E", &[" A "]),
            ("E", &[]),
            ("", &[]),
            ("A", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn case_matters() {
        assert!(blocks("<|INSTRUCTION_START|>{}<|INSTRUCTION_END|>").is_empty());
    }

    /// What the search does, one character at a time.
    fn simply(text: &str) -> Vec<Range<usize>> {
        let (mut blocks, mut open) = (Vec::new(), Vec::new());
        for (at, _) in text.char_indices() {
            if text[at..].starts_with(START) {
                open.push(at + START.len());
            } else if text[at..].starts_with(END)
                && let Some(inside) = open.pop()
                && open.is_empty()
            {
                blocks.push(inside..at);
            }
        }
        if open.is_empty() { blocks } else { Vec::new() }
    }

    proptest! {
        #[test]
        fn blocks_are_what_a_simple_search_finds(
            pieces in prop::collection::vec(
                prop::sample::select(vec![START, END, EITHER, "<|", "|>", "é", "{}", "<"]), 0..20,
            ),
        ) {
            let text = pieces.concat();
            prop_assert_eq!(blocks(&text), simply(&text));
        }
    }
}
