//! Words that say what the fact after them is for.

use std::{ops::Range, sync::LazyLock};

use super::words::Words;
use crate::provider::echo::text::WordMap;

/// The cues of one word.
const CUES: &str = "to cc bcc from on at until till by under over in into near for with since titled called named subject return returning due";
/// Cues of two words.
const PAIRS: [(&str, &str, &str); 3] =
    [("up", "to", "up-to"), ("check", "in", "check-in"), ("check", "out", "check-out")];
/// Cues that keep their meaning if another cue follows directly: "return on".
const STRONG: &str = "check-in check-out return returning due";
/// A fact behind one of these cues belongs to properties that have the cue.
const EXCLUSIVE: [&str; 14] = [
    "from",
    "to",
    "cc",
    "bcc",
    "under",
    "over",
    "up-to",
    "until",
    "till",
    "return",
    "returning",
    "due",
    "check-in",
    "check-out",
];

/// The cues of one word, and the last words of other cues.
static LAST_WORDS: LazyLock<WordMap<Option<&str>>> = LazyLock::new(|| {
    let single = CUES.split_ascii_whitespace().map(|cue| (cue, Some(cue)));
    WordMap::new(single.chain(PAIRS.map(|(_, last, _)| (last, None))))
});

/// Returns `true` if a list of words contains a word.
pub(crate) fn contains(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

/// Returns `true` if a fact behind the cue is only for properties that have the cue.
pub(crate) fn is_exclusive(cue: &str) -> bool {
    EXCLUSIVE.contains(&cue)
}

/// The cues in a text, in order.
pub(super) struct Cues(Vec<(usize, &'static str)>);

impl Cues {
    /// Finds the cues among the words of a text.
    pub(super) fn find(text: &str, words: &Words) -> Self {
        let is = |index: usize, word: &str| {
            words.get(index).is_some_and(|it| text[it.range.clone()].eq_ignore_ascii_case(word))
        };
        let mut cues: Vec<(usize, &'static str)> = Vec::new();
        for (index, word) in words.iter().enumerate() {
            let single = LAST_WORDS.get_hashed(&text[word.range.clone()], word.hash);
            let Some(single) = single else { continue };
            let pair = PAIRS
                .iter()
                .find(|(first, second, _)| index > 0 && is(index, second) && is(index - 1, first));
            let Some(cue) = pair.map(|(_, _, cue)| *cue).or(*single) else { continue };
            let strong =
                cues.last().filter(|(last, cue)| last + 1 == index && contains(STRONG, cue));
            cues.push((index, strong.map_or(cue, |(_, cue)| cue)));
        }
        Self(cues)
    }

    /// Returns the last cue before a fact, in the same sentence.
    pub(super) fn before(&self, fact: &Range<usize>, words: &Words) -> Option<&'static str> {
        let next = self.0.partition_point(|(index, _)| words[*index].range.end <= fact.start);
        let (index, cue) = self.0.get(next.checked_sub(1)?)?;
        (words[*index].sentence == words.sentence_at(fact.start)).then_some(cue)
    }
}
