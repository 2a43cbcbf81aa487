//! Searches texts for mentions of tools, sentence by sentence.

use std::ops::Range;

use super::{
    Mention,
    arithmetic::may_start_with_operator,
    categories::is_arithmetic_verb,
    filter::Filter,
    index::ToolIndex,
    matches::Mentioned,
    mention_tracker::MentionTracker,
    rules::SentenceMatcher,
    sentence::Sentence,
    work_budget::{Exhausted, WorkBudget},
};
use crate::text::{canonicalize, quotes, sentence_around, sentences, words};

/// The number of bytes of a run that are read at the cost of one comparison.
const RUN_PART: usize = 16;

/// A search, with buffers that are reused for every sentence.
pub(super) struct Searcher<'a> {
    index: &'a ToolIndex,
    filter: Option<&'a Filter>,
    budget: &'a mut WorkBudget,
    pub(super) tracker: MentionTracker,
    sentence: Sentence,
    form: String,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        index: &'a ToolIndex,
        filter: Option<&'a Filter>,
        tracker: MentionTracker,
        budget: &'a mut WorkBudget,
    ) -> Self {
        Self { index, filter, budget, tracker, sentence: Sentence::default(), form: String::new() }
    }

    /// Records the tools that `text`, the text of `message`, mentions.
    pub(super) fn search(&mut self, message: usize, text: &str) -> Result<(), Exhausted> {
        let mut quoted = None;
        let Some(filter) = self.filter.filter(|_| Filter::applies_to(text)) else {
            return sentences(text).try_for_each(|sentence| {
                self.search_sentence(message, text, sentence, &mut quoted)
            });
        };
        let lowercase = text.as_bytes().to_ascii_lowercase();
        let (mut from, mut next) = (0, 0);
        while let Some(at) = filter.find(text.as_bytes(), &lowercase, next) {
            next = at + 1;
            if self.is_anchor(&text[at..])? {
                let sentence = sentence_around(text, from, at);
                (from, next) = (sentence.end, sentence.end);
                self.search_sentence(message, text, sentence, &mut quoted)?;
            }
        }
        Ok(())
    }

    /// Returns `true` if a text starts with a word or an operator that may mention a tool.
    fn is_anchor(&mut self, text: &str) -> Result<bool, Exhausted> {
        self.budget.spend(1)?;
        if !text.starts_with(char::is_alphanumeric) {
            return Ok(may_start_with_operator(text));
        }
        let Some(word) = words(text).next() else { return Ok(false) };
        // The whole run is read for each of its words.
        self.budget.spend(word.run.len() / RUN_PART)?;
        Ok([word.range, word.run].into_iter().any(|range| {
            self.form.clear();
            canonicalize(&text[range], &mut self.form);
            let term = self.index.term(&self.form);
            term.is_some_and(|term| !self.index.anchored(term).is_empty())
                || !self.index.arithmetic_tools.is_empty() && is_arithmetic_verb(&self.form)
        }))
    }

    /// Searches one sentence. `quoted` are the quotes of the text, once they are needed.
    fn search_sentence(
        &mut self,
        message: usize,
        text: &str,
        range: Range<usize>,
        quoted: &mut Option<Vec<Range<usize>>>,
    ) -> Result<(), Exhausted> {
        let quoted = quoted.get_or_insert_with(|| quotes(text));
        self.sentence.read(text, range.clone(), quoted, self.index, self.budget)?;
        let candidates = self.candidates()?;
        if candidates.iter().any(|tool| self.tracker.is_pending(*tool, message)) {
            let matcher = SentenceMatcher::new(self.index, &self.sentence, self.budget);
            let mentioned = matcher.mentioned(&candidates)?;
            let mut starts: Vec<u32> = mentioned.iter().map(|it| it.at).collect();
            starts.sort_unstable();
            let mentions = mentioned.into_iter().map(|Mentioned { tool, at }| {
                let clause = self.sentence.clause(&starts, at, &range);
                Mention { tool, message, sentence: range.clone(), clause }
            });
            self.tracker.record(mentions);
        }
        Ok(())
    }

    /// Returns the tools that the sentence may mention, sorted.
    fn candidates(&mut self) -> Result<Vec<usize>, Exhausted> {
        let mut candidates = Vec::new();
        for term in self.sentence.terms() {
            let anchored = self.index.anchored(term);
            self.budget.spend(anchored.len())?;
            candidates.extend(anchored);
        }
        if !self.sentence.arithmetic.is_empty() {
            self.budget.spend(self.index.arithmetic_tools.len())?;
            candidates.extend(&self.index.arithmetic_tools);
        }
        candidates.sort_unstable();
        candidates.dedup();
        Ok(candidates)
    }
}
