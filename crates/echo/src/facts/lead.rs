//! The words that lead to a fact: "the decay rate is 0.1".

use std::ops::Range;

use super::{Fact, Reading};
use crate::text::{
    Sentence,
    lexicon::{CONNECTIVES, contains},
};

/// Maximum number of words before a fact.
const MAX_WORDS: usize = 12;
/// Characters that no words lead over.
const BREAKS: [char; 7] = [',', ';', '(', ')', '—', '|', '?'];

/// The words before a fact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lead {
    /// The canonical words, the nearest first.
    pub(crate) words: Vec<String>,
    /// Whether a word or a sign says that the value follows, as in "is" or "=".
    pub(crate) is_explicit: bool,
}

impl Reading {
    /// Returns the words before a fact, without those that connect.
    pub(crate) fn lead<'f>(&self, fact: &'f Fact) -> &'f Lead {
        fact.lead.get_or_init(|| {
            let part = self.part(fact.range.start);
            part.map(|(sentence, _)| Lead::of(&self.text, sentence, &fact.range))
                .unwrap_or_default()
        })
    }
}

impl Lead {
    fn of(text: &str, sentence: &Sentence, fact: &Range<usize>) -> Self {
        let before = &sentence.words[..sentence.word_from(fact.start)];
        let mut end = fact.start;
        let mut is_signed = false;
        let follows = |word: &&crate::text::Word| {
            let gap = &text[word.range().end..end];
            let is_next = end == fact.start;
            is_signed |= is_next && gap.contains([':', '=']);
            end = word.range().start;
            // A list or a pair is a value.
            !gap.trim_end_matches(['[', '(']).contains(BREAKS)
        };
        let words = before.iter().rev().take(MAX_WORDS).take_while(follows);
        let mut words: Vec<String> = words.map(|word| sentence.form(word).to_owned()).collect();
        let is_connective = |word: &&String| !is_signed && contains(CONNECTIVES, word);
        let count = words.iter().take_while(is_connective).count();
        words.drain(..count);
        Self { words, is_explicit: is_signed || count > 0 }
    }
}
