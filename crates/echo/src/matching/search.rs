//! Searches texts for mentions of tools, sentence by sentence.

use std::{ops::Range, rc::Rc};

use super::{
    Mention,
    arithmetic::may_start_with_operator,
    filter::Filter,
    index::ToolIndex,
    matches::Mentioned,
    mention_tracker::MentionTracker,
    occurrences::Occurrences,
    rules::SentenceMatcher,
    work_budget::{Exhausted, WorkBudget},
};
use crate::{
    facts::Reading,
    text::{canonicalize, lexicon::ARITHMETIC_VERBS, sentence_around, sentences, words},
};

/// The number of bytes of a run that are read at the cost of one comparison.
const RUN_PART: usize = 16;

/// A search, with a buffer that is reused for every word.
pub(super) struct Searcher<'a> {
    index: &'a ToolIndex,
    /// Whether the texts are so long that filters are worth their cost.
    is_long: bool,
    budget: &'a mut WorkBudget,
    pub(super) tracker: MentionTracker,
    form: String,
}

/// A message that is searched.
struct Source<'t> {
    message: usize,
    text: &'t str,
    /// Whether it is the last one of the user.
    is_last: bool,
    /// What has been read of it.
    reading: Option<Rc<Reading>>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        index: &'a ToolIndex,
        is_long: bool,
        tracker: MentionTracker,
        budget: &'a mut WorkBudget,
    ) -> Self {
        Self { index, is_long, budget, tracker, form: String::new() }
    }

    /// Records the tools that `text`, the text of `message`, mentions. In the last message, a part of
    /// a tool's name may suffice.
    pub(super) fn search(
        &mut self,
        message: usize,
        text: &str,
        is_last: bool,
    ) -> Result<(), Exhausted> {
        // Most messages mention no tool.
        let mut source = Source { message, text, is_last, reading: None };
        let is_filtered = self.is_long && Filter::applies_to(text);
        let Some(filter) = is_filtered.then(|| self.index.filter(is_last)).flatten() else {
            return sentences(text).try_for_each(|it| self.search_sentence(&mut source, it));
        };
        let lowercase = text.as_bytes().to_ascii_lowercase();
        let (mut from, mut next) = (0, 0);
        while let Some(at) = filter.find(text.as_bytes(), &lowercase, next) {
            next = at + 1;
            if self.is_anchor(&text[at..], is_last)? {
                let sentence = sentence_around(text, from, at);
                (from, next) = (sentence.end, sentence.end);
                self.search_sentence(&mut source, sentence)?;
            }
        }
        Ok(())
    }

    /// Returns `true` if a text starts with a word or an operator that may mention a tool.
    fn is_anchor(&mut self, text: &str, is_last: bool) -> Result<bool, Exhausted> {
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
            let mut terms = self.index.terms.of(&self.form);
            terms.any(|term| self.index.is_anchor(term, is_last))
                || !self.index.arithmetic_tools.is_empty()
                    && ARITHMETIC_VERBS.contains(&self.form.as_str())
        }))
    }

    /// Searches one sentence.
    fn search_sentence(
        &mut self,
        source: &mut Source,
        range: Range<usize>,
    ) -> Result<(), Exhausted> {
        let Source { message, text, is_last, ref mut reading } = *source;
        let reading = reading.get_or_insert_with(|| Rc::new(Reading::new(text)));
        let sentence = reading.sentence(range.clone());
        self.budget.spend(sentence.words.len())?;
        let occurrences = Occurrences::find(text, &sentence, self.index);
        let candidates = self.candidates(&occurrences)?;
        let is_pending = |tool: usize| self.tracker.is_pending(tool, message);
        let mut mentioned = Vec::new();
        if candidates.iter().any(|tool| is_pending(*tool)) {
            let matcher = SentenceMatcher::new(self.index, &occurrences, self.budget);
            mentioned = matcher.mentioned(&candidates)?;
        }
        if is_last {
            let partial = self.index.partial();
            let is_open =
                |tool: usize| is_pending(tool) && mentioned.iter().all(|it| it.tool != tool);
            let starts: Vec<u32> = mentioned.iter().map(|it| it.at).collect();
            let parts =
                partial.mentioned(text, &sentence, &occurrences, is_open, &starts, self.budget)?;
            mentioned.extend(parts);
        }
        if !mentioned.is_empty() {
            let mut starts: Vec<u32> = mentioned.iter().map(|it| it.at).collect();
            starts.sort_unstable();
            let mentions = mentioned.into_iter().map(|Mentioned { tool, at, rule, words }| {
                let clause = occurrences.clause(&starts, at, &range);
                let (reading, words) = (Rc::clone(reading), occurrences.bytes(words));
                Mention { tool, message, reading, sentence: range.clone(), clause, rule, words }
            });
            self.tracker.record(mentions);
        }
        Ok(())
    }

    /// Returns the tools that a sentence may mention, sorted.
    fn candidates(&mut self, sentence: &Occurrences) -> Result<Vec<usize>, Exhausted> {
        let mut candidates = Vec::new();
        for term in sentence.terms() {
            let anchored = self.index.anchored(term);
            self.budget.spend(anchored.len())?;
            candidates.extend(anchored);
        }
        if !sentence.arithmetic.is_empty() {
            self.budget.spend(self.index.arithmetic_tools.len())?;
            candidates.extend(&self.index.arithmetic_tools);
        }
        candidates.sort_unstable();
        candidates.dedup();
        Ok(candidates)
    }
}
