//! Finds the blocks between instruction tags.

use std::{ops::Range, sync::LazyLock};

use memchr::memmem::Finder;

/// The tag that starts a block.
pub const START: &str = "<|instruction_start|>";
/// The tag that ends a block.
pub const END: &str = "<|instruction_end|>";
/// The common prefix of both tags.
const PREFIX: &str = "<|instruction_";

/// Built only once, because a history has many texts and few of them contain a tag.
static START_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(START));
static PREFIX_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(PREFIX));

/// Returns `true` if a text contains a start tag.
pub(in crate::provider::scripted) fn has_start(text: &str) -> bool {
    START_FINDER.find(text.as_bytes()).is_some()
}

/// Returns the ranges inside the outermost pairs of tags, in order.
///
/// Nested blocks are part of the outer block, so a string in a chain can contain a chain. An end
/// tag without a start tag is plain text. If a start tag has no end tag, there are no blocks.
pub(in crate::provider::scripted) fn blocks(text: &str) -> Vec<Range<usize>> {
    let (mut blocks, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    let Some(first) = START_FINDER.find(text.as_bytes()) else { return blocks };
    for at in PREFIX_FINDER.find_iter(&text.as_bytes()[first..]).map(|at| first + at) {
        if text[at..].starts_with(START) {
            depth += 1;
            if depth == 1 {
                start = at + START.len();
            }
        } else if text[at..].starts_with(END) && depth > 0 {
            depth -= 1;
            if depth == 0 {
                blocks.push(start..at);
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

    /// Returns the blocks of a text in which S and E represent the tags.
    fn short_blocks(short: &str) -> Vec<String> {
        let text = short.replace('S', "\0").replace('E', END).replace('\0', START);
        let blocks = blocks(&text).into_iter().map(|block| text[block].to_owned());
        blocks.map(|block| block.replace(START, "S").replace(END, "E")).collect()
    }

    #[test]
    fn matches_tags_by_depth() {
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
            assert_eq!(short_blocks(text), expected, "{text}");
        }
    }

    #[test]
    fn tags_are_case_sensitive() {
        assert!(blocks("<|INSTRUCTION_START|>{}<|INSTRUCTION_END|>").is_empty());
    }

    /// A simple implementation that visits every character.
    fn reference_blocks(text: &str) -> Vec<Range<usize>> {
        let (mut blocks, mut open) = (Vec::new(), Vec::new());
        for (at, _) in text.char_indices() {
            if text[at..].starts_with(START) {
                open.push(at + START.len());
            } else if text[at..].starts_with(END)
                && let Some(start) = open.pop()
                && open.is_empty()
            {
                blocks.push(start..at);
            }
        }
        if open.is_empty() { blocks } else { Vec::new() }
    }

    proptest! {
        #[test]
        fn finds_the_same_blocks_as_the_reference(
            pieces in prop::collection::vec(
                prop::sample::select(vec![START, END, PREFIX, "<|", "|>", "é", "{}", "<"]), 0..20,
            ),
        ) {
            let text = pieces.concat();
            prop_assert_eq!(blocks(&text), reference_blocks(&text));
        }
    }
}
