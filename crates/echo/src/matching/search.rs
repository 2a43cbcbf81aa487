//! Searches texts for mentions of tools, sentence by sentence.

use std::{cell::LazyCell, ops::Range, rc::Rc};

use super::{
    Mention, arithmetic::ARITHMETIC, filter::Filter, index::ToolIndex, matches::Mentioned,
    mention_tracker::MentionTracker, occurrences::Occurrences, rules::SentenceMatcher,
    schemas::Schemas, work_budget::WorkBudget,
};
use crate::{
    effort::Unfinished,
    facts::Reading,
    text::{
        canonical, last_word,
        lexicon::{ARITHMETIC_VERBS, BEFORE_VERBS, JOINTS, OPENINGS, contains},
        sentence_around, sentences, words,
    },
};

/// The number of bytes of a run that are read at the cost of one comparison.
const RUN_PART: usize = 16;

/// A search.
pub(super) struct Searcher<'a> {
    pub(super) index: &'a ToolIndex,
    pub(super) schemas: &'a Schemas<'a>,
    /// Whether the texts are so long that filters are worth their cost.
    pub(super) is_long: bool,
    pub(super) budget: &'a mut WorkBudget,
    pub(super) tracker: MentionTracker,
}

impl Searcher<'_> {
    /// Records the tools that `text`, the text of `message`, mentions. In the last message, a part of
    /// a tool's name may suffice.
    pub(super) fn search(
        &mut self,
        message: usize,
        text: &str,
        is_last: bool,
    ) -> Result<(), Unfinished> {
        // Most messages mention no tool.
        let reading = LazyCell::new(|| Rc::new(Reading::new(text)));
        let is_filtered = self.is_long && Filter::applies_to(text);
        let Some(filter) = is_filtered.then(|| self.index.filter(is_last)).flatten() else {
            let mut sentences = sentences(text);
            return sentences
                .try_for_each(|it| self.search_sentence(message, &reading, it, is_last));
        };
        let mut searched = 0;
        for at in filter.find(text) {
            if at >= searched && self.may_mention(text, at, is_last)? {
                let sentence = sentence_around(text, searched, at);
                searched = sentence.end;
                self.search_sentence(message, &reading, sentence, is_last)?;
            }
        }
        Ok(())
    }

    /// Returns `true` if the word or the operator at a position in a text may mention a tool.
    fn may_mention(&mut self, text: &str, at: usize, is_last: bool) -> Result<bool, Unfinished> {
        self.budget.spend(1)?;
        let (before, text) = text.split_at(at);
        if !text.starts_with(char::is_alphanumeric) {
            return Ok(true);
        }
        let Some(word) = words(text).next() else { return Ok(false) };
        // The whole run is read for each of its words.
        self.budget.spend(word.run.len() / RUN_PART)?;
        let (index, terms) = (self.index, &self.index.terms);
        let has_arithmetic = terms.word(ARITHMETIC).is_some();
        let counts = |term| {
            index.counts_anywhere(term, is_last)
                || index.is_anchor(term, is_last) && may_start_clause(before)
        };
        let run = Some(word.run).filter(|run| *run != word.range);
        Ok([word.range].into_iter().chain(run).any(|range| {
            let form = canonical(&text[range]);
            terms.of(&form).any(counts)
                || has_arithmetic && ARITHMETIC_VERBS.contains(&form.as_str())
        }))
    }

    /// Searches one sentence.
    fn search_sentence(
        &mut self,
        message: usize,
        reading: &Rc<Reading>,
        range: Range<usize>,
        is_last: bool,
    ) -> Result<(), Unfinished> {
        let text = &reading.text;
        let sentence = reading.sentence(range.clone());
        self.budget.spend(sentence.words.len())?;
        let occurrences = Occurrences::find(text, &sentence, &self.index.terms);
        let candidates = self.candidates(&occurrences)?;
        let is_pending = |tool: usize| self.tracker.is_pending(tool, message);
        let (mut mentioned, mut labeled) = (Vec::new(), Vec::new());
        if candidates.iter().any(|tool| is_pending(*tool)) {
            let matcher = SentenceMatcher::new(self.index, self.schemas, &occurrences, self.budget);
            (mentioned, labeled) = matcher.mentioned(&candidates)?;
        }
        if is_last {
            let partial = self.index.partial();
            let is_open = |tool: usize| {
                is_pending(tool)
                    && !labeled.contains(&tool)
                    && mentioned.iter().all(|it| it.tool != tool)
            };
            let (parts, displaced) = partial.mentioned(
                (reading, &sentence),
                &occurrences,
                is_open,
                &mentioned,
                self.schemas,
                self.budget,
            )?;
            mentioned.retain(|it| !displaced.contains(&it.tool));
            mentioned.extend(parts);
        }
        if !mentioned.is_empty() {
            let mut starts: Vec<usize> = mentioned.iter().map(|it| it.at).collect();
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
    fn candidates(&mut self, sentence: &Occurrences) -> Result<Vec<usize>, Unfinished> {
        let mut candidates = Vec::new();
        for term in sentence.terms() {
            let anchored = self.index.anchored(term);
            self.budget.spend(anchored.len())?;
            candidates.extend(anchored);
        }
        candidates.sort_unstable();
        candidates.dedup();
        Ok(candidates)
    }
}

/// Returns `true` if the next word may be the first of a clause, or the verb of a request: "could you show".
fn may_start_clause(before: &str) -> bool {
    let last = last_word(before);
    let ends_opening = || {
        let last = last.to_lowercase();
        OPENINGS.iter().filter_map(|opening| opening.last()).any(|words| contains(words, &last))
    };
    last.is_empty()
        || contains(JOINTS, last)
        || contains(BEFORE_VERBS, &canonical(last))
        || ends_opening()
}
