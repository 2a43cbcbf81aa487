//! The words of a message, with their context.

use std::{
    cell::OnceCell,
    num::NonZeroU32,
    ops::{Deref, Range},
};

use super::lexicon::{BeforePlace, Meanings};
use crate::text::{self, bucket, hash_word};

/// Punctuation that separates a fact from the words next to it.
const BREAKS: [char; 6] = [',', ';', '(', ')', '—', '|'];
/// Words, besides generic words, that may stand between a fact and the word that it belongs to.
const FILLERS: [&str; 9] = ["number", "no", "nr", "is", "are", "be", "code", "max", "min"];
const NEGATIONS: [&str; 4] = ["not", "never", "without", "no"];
/// Maximum number of words between a fact and the word that it belongs to.
const MAX_FILLERS: usize = 4;

/// A word in a message. Small, because the words of a long message would otherwise take new pages of memory
/// in each call.
pub(super) struct Word {
    range: Span,
    run: Span,
    /// The hash of the word, in any case.
    pub(super) hash: u32,
    /// The bytes of the canonical form in [`Words::forms`].
    form: Span,
    /// The hash of the canonical form.
    form_hash: u32,
    sentence: u32,
    /// The meanings of the run that fixed lists have. Only the first word of a run has them.
    pub(super) meanings: &'static Meanings,
    /// What the word is if the next word is a place.
    pub(super) before_place: Option<BeforePlace>,
}

/// A range of bytes of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: to_u32(range.start), end: to_u32(range.end) }
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start as usize..span.end as usize
    }
}

/// Converts an index to 32 bits. No more of a message is read than 32 bits can count.
fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl Word {
    pub(super) fn range(&self) -> Range<usize> {
        self.range.into()
    }

    /// Returns the unsplit run of letters and digits that contains the word.
    pub(super) fn run(&self) -> Range<usize> {
        self.run.into()
    }

    /// Returns `true` if this is the first word of its run.
    pub(super) fn starts_run(&self) -> bool {
        self.range.start == self.run.start
    }

    /// Returns the index of the sentence.
    pub(super) fn sentence(&self) -> usize {
        self.sentence as usize
    }
}

/// The numbers of words, from 1, by the hash of the form.
struct ByHash {
    /// By bucket of the hash, the first word.
    first: Vec<Option<NonZeroU32>>,
    /// By word, the next word in the same bucket.
    next: Vec<Option<NonZeroU32>>,
}

/// The words of a message, without those in quotes and addresses.
pub(super) struct Words {
    words: Vec<Word>,
    /// The text in lower case and, behind it, the canonical forms that are not the starts of their
    /// words.
    forms: String,
    /// The ends of the sentences.
    ends: Vec<usize>,
    /// The words by the hash of the form, once they are needed.
    by_hash: OnceCell<ByHash>,
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
        let mut forms = String::with_capacity(2 * source.len());
        forms.push_str(source);
        forms.make_ascii_lowercase();
        let mut sentence = 0;
        let mut words = Vec::with_capacity(source.len() / 5);
        for word in text::words(source).filter(|word| !is_excluded(word.range.start)) {
            while ends.get(sentence).is_some_and(|end| *end <= word.range.start) {
                sentence += 1;
            }
            let text = &source[word.range.clone()];
            let hash = hash_word(text);
            let own = Meanings::listed(text, hash);
            let form = canonical_form(&word.range, source, &mut forms);
            let form_hash = if form == word.range { hash } else { hash_word(&forms[form.clone()]) };
            words.push(Word {
                hash,
                form: form.into(),
                form_hash,
                sentence: to_u32(sentence),
                meanings: run_meanings(&word, source, own),
                before_place: own.before_place,
                range: word.range.into(),
                run: word.run.into(),
            });
        }
        Self { words, forms, ends, by_hash: OnceCell::new() }
    }

    /// Returns the canonical form of a word.
    pub(super) fn form(&self, word: &Word) -> &str {
        &self.forms[Range::from(word.form)]
    }

    /// Returns the index of the sentence at a position in the text.
    pub(super) fn sentence_at(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end <= at)
    }

    /// Returns the ranges of the sentences, and of parts of sentences, in a range of the text.
    pub(super) fn sentences_in(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.sentence_at(range.start);
        let mut start = range.start;
        self.ends[first..].iter().map_while(move |end| {
            let part = start..range.end.min(*end);
            start = part.end;
            (!part.is_empty()).then_some(part)
        })
    }

    /// Returns the words that start in a range of the text.
    pub(super) fn starting_in(&self, range: &Range<usize>) -> &[Word] {
        let first = self.words.partition_point(|word| word.range().start < range.start);
        let count = self.words[first..].partition_point(|word| word.range().start < range.end);
        &self.words[first..first + count]
    }

    /// Returns `true` if nothing but white space and punctuation follows in the sentence.
    pub(super) fn ends_sentence(&self, at: usize) -> bool {
        let next = self.words.partition_point(|word| word.range().start < at);
        self.words
            .get(next)
            .is_none_or(|word| word.sentence() != self.sentence_at(at.saturating_sub(1)))
    }

    /// Returns `true` if no word precedes in the sentence.
    pub(super) fn starts_sentence(&self, index: usize) -> bool {
        index == 0 || self.words[index - 1].sentence() != self.words[index].sentence()
    }

    /// Returns the positions where a sequence of canonical words stands, in order.
    pub(super) fn find(&self, forms: &[String]) -> Vec<usize> {
        let Some(first) = forms.first() else { return Vec::new() };
        let by_hash = self.by_hash.get_or_init(|| ByHash::new(self));
        let stands = |index: &usize| {
            let words = self.words.get(*index..*index + forms.len());
            words.is_some_and(|words| {
                words.iter().zip(forms).all(|(word, form)| self.form(word) == form)
                    && words.iter().all(|word| word.sentence() == words[0].sentence())
            })
        };
        by_hash.words(hash_word(first)).filter(stands).collect()
    }

    /// Returns `true` if the word at `index` is negated.
    pub(super) fn is_negated(&self, source: &str, index: usize) -> bool {
        for at in (0..index).rev() {
            let (word, next) = (&self.words[at], &self.words[at + 1]);
            let gap = &source[word.range().end..next.range().start];
            if word.sentence() != next.sentence() || gap.contains([',', ';', ':']) {
                return false;
            }
            let form = self.form(word);
            if NEGATIONS.contains(&form) {
                return true;
            }
            if form == "t" && source[..word.range().start].ends_with(['\'', '’']) {
                let before = source[..word.range().start].trim_end_matches(['\'', '’']);
                return before.ends_with(['n', 'N']);
            }
            // "without running migrations"
            if !text::passes_on_negation(form) && !form.ends_with("ing") {
                return false;
            }
        }
        false
    }

    /// Returns the words next to a fact, without fillers and generic words between.
    pub(super) fn beside(&self, source: &str, fact: &Range<usize>) -> [Option<usize>; 2] {
        let next = self.words.partition_point(|word| word.range().start < fact.end);
        let previous = self.words.partition_point(|word| word.range().end <= fact.start);
        let before = (0..previous).rev().map(|index| (index, true));
        let after = (next..self.words.len()).map(|index| (index, false));
        [self.nearest(source, fact, before), self.nearest(source, fact, after)]
    }

    fn nearest(
        &self,
        source: &str,
        fact: &Range<usize>,
        words: impl Iterator<Item = (usize, bool)>,
    ) -> Option<usize> {
        let mut edge = fact.clone();
        for (index, is_before) in words.take(MAX_FILLERS + 1) {
            let word = &self.words[index];
            let gap = if is_before {
                &source[word.range().end..edge.start]
            } else {
                &source[edge.end..word.range().start]
            };
            let is_far = gap.contains(BREAKS) || !is_before && gap.contains(':');
            if is_far || word.sentence() != self.sentence_at(fact.start) {
                return None;
            }
            let form = self.form(word);
            if !text::is_generic(form) && !FILLERS.contains(&form) {
                return Some(index);
            }
            let is_number = form.starts_with(|c: char| c.is_ascii_digit());
            if is_number || ["and", "or"].contains(&form) {
                return None;
            }
            edge = word.range();
        }
        None
    }
}

impl ByHash {
    fn new(words: &Words) -> Self {
        let mut first = vec![None; words.len().next_power_of_two()];
        let mut next = vec![None; words.len()];
        for (index, word) in words.iter().enumerate().rev() {
            let bucket = bucket(word.form_hash, first.len());
            next[index] = std::mem::replace(&mut first[bucket], NonZeroU32::new(to_u32(index + 1)));
        }
        Self { first, next }
    }

    /// Returns the words whose form may have this hash, in order.
    fn words(&self, hash: u32) -> impl Iterator<Item = usize> {
        let first = self.first[bucket(hash, self.first.len())];
        let index = |number: NonZeroU32| number.get() as usize - 1;
        std::iter::successors(first, move |number| self.next[index(*number)]).map(index)
    }
}

/// Returns the meanings of the run that a word starts. `own` are those of the word.
fn run_meanings(word: &text::Word, source: &str, own: &'static Meanings) -> &'static Meanings {
    if word.range == word.run {
        own
    } else if word.range.start == word.run.start {
        let run = &source[word.run.clone()];
        Meanings::listed(run, hash_word(run))
    } else {
        &Meanings::NONE
    }
}

/// Returns the bytes of a word's canonical form in `forms`. Appends the form unless the word itself
/// is canonical.
fn canonical_form(word: &Range<usize>, source: &str, forms: &mut String) -> Range<usize> {
    let text = &source[word.clone()];
    if text.is_ascii() && !text::may_have_ending(text) {
        return word.clone();
    }
    let start = forms.len();
    text::canonicalize(text, forms);
    start..forms.len()
}
