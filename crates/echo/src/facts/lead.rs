//! The words that lead to a fact: "the decay rate is 0.1".

use std::ops::Range;

use super::{Fact, FactType, Reading};
use crate::text::{
    Sentence, Word,
    lexicon::{CONNECTIVES, contains},
};

/// Maximum number of words before a fact.
const MAX_WORDS: usize = 12;
/// Characters that no words lead over.
const BREAKS: [char; 7] = [',', ';', '(', ')', '—', '|', '?'];

impl Reading {
    /// Returns the canonical words before a fact, the nearest first, without those that connect.
    pub(crate) fn lead(&self, fact: &Fact) -> impl Iterator<Item = &str> {
        let part = self.part(fact.range.start);
        part.into_iter().flat_map(|(sentence, _)| {
            let lead = fact.lead.get_or_init(|| lead(&self.text, sentence, fact.range.start));
            lead.clone().rev().map(|at| sentence.whole_form(at))
        })
    }

    /// Returns the word or the punctuation mark directly before a fact.
    pub(crate) fn mark_before(&self, fact: &Fact) -> &str {
        let is_quote = |c: char| fact.of == FactType::Quote && !c.is_alphanumeric() && c != ' ';
        let before = self.text[..fact.range.start].trim_end_matches(is_quote).trim_end();
        let word = before.trim_end_matches(char::is_alphanumeric).len();
        let mark = before.char_indices().next_back().map_or(0, |(at, _)| at);
        &before[word.min(mark)..]
    }
}

/// Returns the indexes of the words that lead to a fact at `start`.
fn lead(text: &str, sentence: &Sentence, start: usize) -> Range<usize> {
    let before = &sentence.words[..sentence.word_from(start)];
    let mut end = start;
    let leads = |word: &&Word| {
        let gap = &text[word.range().end..end];
        end = word.range().start;
        !gap.contains(BREAKS)
    };
    let count = before.iter().rev().take(MAX_WORDS).take_while(leads).count();
    let words = before.len() - count..before.len();
    let connects = |word: &&Word| contains(CONNECTIVES, sentence.form(word));
    let connectives = before[words.clone()].iter().rev().take_while(connects).count();
    words.start..words.end - connectives
}
