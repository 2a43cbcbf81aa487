//! The words of a message, with what stands around them.

use std::ops::{Deref, Range};

use crate::provider::echo::text;

/// Punctuation that separates a fact from the words next to it.
const BREAKS: [char; 6] = [',', ';', '(', ')', '—', '|'];
/// Words, besides generic words, that may stand between a fact and the word that it belongs to.
const FILLERS: [&str; 9] = ["number", "no", "nr", "is", "are", "be", "code", "max", "min"];
const NEGATIONS: [&str; 4] = ["not", "never", "without", "no"];
/// Maximum number of words between a fact and the word that it belongs to.
const MAX_FILLERS: usize = 4;

/// A word in a message.
pub(super) struct Word {
    pub(super) range: Range<usize>,
    /// The unsplit run of letters and digits that contains the word.
    pub(super) run: Range<usize>,
    /// The canonical form.
    pub(super) form: String,
    /// The index of the sentence.
    pub(super) sentence: usize,
}

/// The words of a message, without those in quotes and addresses.
pub(super) struct Words {
    words: Vec<Word>,
    /// The ends of the sentences.
    ends: Vec<usize>,
    /// The indexes of the words, sorted by form.
    by_form: Vec<usize>,
}

impl Deref for Words {
    type Target = [Word];

    fn deref(&self) -> &[Word] {
        &self.words
    }
}

impl Words {
    /// Splits a text. The `excluded` ranges must be sorted.
    pub(super) fn new(source: &str, excluded: &[Range<usize>]) -> Self {
        let ends: Vec<usize> = text::sentences(source).map(|sentence| sentence.end).collect();
        let is_excluded = |at: usize| {
            let next = excluded.partition_point(|range| range.end <= at);
            excluded.get(next).is_some_and(|range| range.start <= at)
        };
        let words: Vec<Word> = text::words(source)
            .filter(|word| !is_excluded(word.range.start))
            .map(|word| Word {
                form: text::canonical(&source[word.range.clone()]),
                sentence: ends.partition_point(|end| *end <= word.range.start),
                range: word.range,
                run: word.run,
            })
            .collect();
        let mut by_form: Vec<usize> = (0..words.len()).collect();
        by_form.sort_by(|one, other| words[*one].form.cmp(&words[*other].form));
        Self { words, ends, by_form }
    }

    /// Returns the index of the sentence at a position in the text.
    pub(super) fn sentence_at(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end <= at)
    }

    /// Returns `true` if nothing but white space and punctuation follows in the sentence.
    pub(super) fn ends_sentence(&self, at: usize) -> bool {
        let next = self.words.partition_point(|word| word.range.start < at);
        self.words.get(next).is_none_or(|word| {
            word.sentence != self.sentence_at(at.saturating_sub(1))
                || self.words[next..].iter().take(2).all(|it| it.form == "please")
        })
    }

    /// Returns `true` if no word precedes in the sentence.
    pub(super) fn starts_sentence(&self, index: usize) -> bool {
        index == 0 || self.words[index - 1].sentence != self.words[index].sentence
    }

    /// Returns the positions where a sequence of canonical words stands, in order.
    pub(super) fn find(&self, forms: &[String]) -> Vec<usize> {
        let Some(first) = forms.first() else { return Vec::new() };
        let start = self.by_form.partition_point(|index| self.words[*index].form < *first);
        let same = self.by_form[start..].iter().take_while(|it| self.words[**it].form == *first);
        let stands = |index: &usize| {
            let words = self.words.get(*index..*index + forms.len());
            words.is_some_and(|words| {
                words.iter().zip(forms).all(|(word, form)| word.form == *form)
                    && words.iter().all(|word| word.sentence == words[0].sentence)
            })
        };
        same.copied().filter(stands).collect()
    }

    /// Returns `true` if the word at `index` is negated.
    pub(super) fn is_negated(&self, source: &str, index: usize) -> bool {
        for at in (0..index).rev() {
            let (word, next) = (&self.words[at], &self.words[at + 1]);
            let gap = &source[word.range.end..next.range.start];
            if word.sentence != next.sentence || gap.contains([',', ';', ':']) {
                return false;
            }
            if NEGATIONS.contains(&word.form.as_str()) {
                return true;
            }
            if word.form == "t" && source[..word.range.start].ends_with(['\'', '’']) {
                let before = source[..word.range.start].trim_end_matches(['\'', '’']);
                return before.ends_with(['n', 'N']);
            }
            if !text::is_generic(&word.form) {
                return false;
            }
        }
        false
    }

    /// Returns the canonical words next to a fact, without fillers and generic words between.
    pub(super) fn beside(&self, source: &str, fact: &Range<usize>) -> [Option<String>; 2] {
        let next = self.words.partition_point(|word| word.range.start < fact.end);
        let previous = self.words.partition_point(|word| word.range.end <= fact.start);
        let before = self.words[..previous].iter().rev().map(|word| (word, true));
        let after = self.words[next..].iter().map(|word| (word, false));
        [self.nearest(source, fact, before), self.nearest(source, fact, after)]
    }

    fn nearest<'w>(
        &self,
        source: &str,
        fact: &Range<usize>,
        words: impl Iterator<Item = (&'w Word, bool)>,
    ) -> Option<String> {
        let mut edge = fact.clone();
        for (word, is_before) in words.take(MAX_FILLERS + 1) {
            let gap = if is_before {
                &source[word.range.end..edge.start]
            } else {
                &source[edge.end..word.range.start]
            };
            let is_far = gap.contains(BREAKS) || !is_before && gap.contains(':');
            if is_far || word.sentence != self.sentence_at(fact.start) {
                return None;
            }
            let is_filler = text::is_generic(&word.form) || FILLERS.contains(&word.form.as_str());
            if !is_filler {
                return Some(word.form.clone());
            }
            let is_number = word.form.starts_with(|c: char| c.is_ascii_digit());
            if is_number || ["and", "or"].contains(&word.form.as_str()) {
                return None;
            }
            edge = word.range.clone();
        }
        None
    }
}
