//! Finds the blocks between instruction tags.

use std::{ops::Range, sync::LazyLock};

use memchr::memmem::Finder;

/// The tag that starts a block.
pub const START: &str = "<|instruction_start|>";
/// The tag that ends a block.
pub const END: &str = "<|instruction_end|>";
/// The common prefix of both tags.
const PREFIX: &str = "<|instruction_";

/// What both start tags and escaped start tags contain.
const INNER_START: &str = "|instruction_start|";
/// How JSON and HTML escape the first character of a tag.
const ESCAPED: [&str; 3] = ["\\u003c", "\\u003C", "&lt;"];

/// The blocks of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// The ranges inside the outermost pairs of tags, in order.
    pub(crate) ranges: Vec<Range<usize>>,
    /// What is wrong with the tags after these blocks.
    pub(crate) defect: Option<TagDefect>,
}

/// What is wrong with a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagDefect {
    /// The start tag at this position has no end tag.
    Unclosed(usize),
    /// All start tags are escaped. This is how the first one begins.
    Escaped(&'static str),
}

/// Built only once, because a history has many texts and few of them contain a tag.
static START_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(START));
static INNER_START_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(INNER_START));
static PREFIX_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(PREFIX));

/// Returns `true` if a text contains a start tag.
pub(crate) fn has_start(text: &str) -> bool {
    START_FINDER.find(text.as_bytes()).is_some()
}

/// Finds the blocks of a text.
///
/// Nested blocks are part of the outer block, so a string in a chain can contain a chain. An end
/// tag without a start tag is plain text.
pub(crate) fn blocks(text: &str) -> Blocks {
    let (mut ranges, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    let Some(inner) = INNER_START_FINDER.find(text.as_bytes()) else { return Blocks::default() };
    let Some(first) = START_FINDER.find(text.as_bytes()) else {
        let escaped = ESCAPED.into_iter().find(|escaped| text[..inner].ends_with(escaped));
        return Blocks { ranges, defect: escaped.map(TagDefect::Escaped) };
    };
    for at in PREFIX_FINDER.find_iter(&text.as_bytes()[first..]).map(|at| first + at) {
        if text[at..].starts_with(START) {
            depth += 1;
            if depth == 1 {
                start = at + START.len();
            }
        } else if text[at..].starts_with(END) && depth > 0 {
            depth -= 1;
            if depth == 0 {
                ranges.push(start..at);
            }
        }
    }
    let unclosed = || TagDefect::Unclosed(start - START.len());
    Blocks { ranges, defect: (depth > 0).then(unclosed) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the blocks of a text in which S and E represent the tags.
    fn short_blocks(short: &str) -> Vec<String> {
        let text = short.replace('S', "\0").replace('E', END).replace('\0', START);
        let ranges = blocks(&text).ranges.into_iter().map(|block| text[block].to_owned());
        ranges.map(|block| block.replace(START, "S").replace(END, "E")).collect()
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
            ("S A E S B", &[" A "]),
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
        let text = "<|INSTRUCTION_START|>{}<|INSTRUCTION_END|>";
        assert_eq!(blocks(text), Blocks::default());
    }

    #[test]
    fn finds_escaped_tags_only_if_no_tag_is_intact() {
        for escaped in ESCAPED {
            let text = format!("go {escaped}|instruction_start|");
            assert_eq!(blocks(&text).defect, Some(TagDefect::Escaped(escaped)));
            let nested = format!("{START}{text}{END}");
            assert_eq!((blocks(&nested).ranges.len(), blocks(&nested).defect), (1, None));
        }
        assert_eq!(blocks("the |instruction_start| tag"), Blocks::default());
    }

    /// A simple implementation that visits every character.
    fn reference_blocks(text: &str) -> (Vec<Range<usize>>, Option<usize>) {
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
        (blocks, open.first().map(|start| start - START.len()))
    }

    proptest! {
        #[test]
        fn finds_the_same_blocks_as_the_reference(
            pieces in prop::collection::vec(
                prop::sample::select(vec![START, END, PREFIX, "<|", "|>", "é", "{}", "<"]), 0..20,
            ),
        ) {
            let text = pieces.concat();
            let (ranges, unclosed) = reference_blocks(&text);
            let expected = Blocks { ranges, defect: unclosed.map(TagDefect::Unclosed) };
            prop_assert_eq!(blocks(&text), expected);
        }
    }
}
