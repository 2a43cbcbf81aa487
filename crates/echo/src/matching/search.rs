//! Searches texts for mentions of tools, sentence by sentence.

use std::{cell::LazyCell, ops::Range, rc::Rc};

use super::{
    MAX_UNFILTERED, Mention, arithmetic::ARITHMETIC, by_values::may_have_values, filter::Filter,
    index::ToolIndex, matches::Mentioned, mention_tracker::MentionTracker,
    occurrences::Occurrences, partial::Search, rules::SentenceMatcher, schemas::Schemas,
    work_budget::WorkBudget,
};
use crate::{
    arguments::Described,
    effort::Unfinished,
    facts::Reading,
    text::{
        Sentence, canonical, last_word,
        lexicon::{ARITHMETIC_VERBS, ARTICLES, BEFORE_VERBS, JOINTS, OPENINGS, contains},
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
        let is_long = if is_last { text.len() > MAX_UNFILTERED } else { self.is_long };
        let is_filtered = is_long && Filter::applies_to(text);
        let Some(filter) = is_filtered.then(|| self.index.filter(is_last)).flatten() else {
            let mut sentences = sentences(text);
            sentences.try_for_each(|it| self.search_sentence(message, &reading, it, is_last))?;
            return if is_last { self.search_whole(message, &reading) } else { Ok(()) };
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
        self.drop_labels(message, &occurrences, &mut mentioned)?;
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

    /// Drops the mentions by the words of a property of a tool that the message mentions before: "Enroll Ada. The
    /// guardian's email is ada@example.com" is not about `email_guardian`.
    fn drop_labels(
        &mut self,
        message: usize,
        sentence: &Occurrences,
        mentioned: &mut Vec<Mentioned>,
    ) -> Result<(), Unfinished> {
        let Some(label) = sentence.stated_label() else { return Ok(()) };
        let (schemas, is_in_label) = (self.schemas, |it: &Mentioned| it.words[1] < label.end);
        if !mentioned.iter().any(is_in_label) {
            return Ok(());
        }
        let is_name = |at: &usize| {
            let form = sentence.form(*at);
            form != "s" && !contains(ARTICLES, form)
        };
        let words: Vec<_> = label.clone().filter(is_name).map(|at| sentence.form(at)).collect();
        for known in self.tracker.mentions_in(message) {
            if schemas.says(known.tool, self.budget, |it| it.has_words(&words))? {
                mentioned.retain(|it| !is_in_label(it));
            }
        }
        Ok(())
    }

    /// Searches all sentences of a message together for the values of a tool, and drops the mentions of tools that
    /// lack values beside one that has them.
    fn search_whole(&mut self, message: usize, reading: &Rc<Reading>) -> Result<(), Unfinished> {
        if self.is_settled(message, reading)? {
            return Ok(());
        }
        let range = 0..reading.text.len();
        let sentence = reading.sentence(range.clone());
        self.budget.spend(sentence.words.len())?;
        let occurrences = Occurrences::find(&reading.text, &sentence, &self.index.terms);
        let known = self.known(message, &sentence);
        let is_pending = |tool: usize| self.tracker.is_pending(tool, message);
        let mut search = Search {
            index: self.index.partial(),
            reading,
            schemas: self.schemas,
            sentence: &sentence,
            occurrences: &occurrences,
            is_pending,
            budget: self.budget,
        };
        let (found, mut unfilled) =
            (search.by_values(0..sentence.words.len(), &known)?, search.unfilled(&known)?);
        unfilled.extend(search.told_before(&known)?);
        // What is asked has a tool of its own: "What's the weather?"
        let is_asked = |it: &Mention| reading.text[it.sentence.clone()].trim_end().ends_with('?');
        let mentions = || self.tracker.mentions_in(message);
        unfilled.retain(|tool| !mentions().any(|it| it.tool == *tool && is_asked(it)));
        self.tracker.forget(message, |tool| found.is_some() || unfilled.contains(&tool));
        if let Some(Mentioned { tool, rule, words, .. }) = found {
            let (reading, words) = (Rc::clone(reading), occurrences.bytes(words));
            let (sentence, clause) = (range.clone(), range);
            let mention = Mention { tool, message, reading, sentence, clause, rule, words };
            self.tracker.record([mention].into_iter());
        }
        Ok(())
    }

    /// Returns `true` if the values in a message cannot change which tools it mentions.
    fn is_settled(&mut self, message: usize, reading: &Reading) -> Result<bool, Unfinished> {
        let (text, mut mentions) = (&reading.text, self.tracker.mentions_in(message));
        let only = match (mentions.next(), mentions.next()) {
            (None, _) => return Ok(text.len() > MAX_UNFILTERED),
            (Some(_), Some(_)) => return Ok(false),
            (Some(only), None) => only,
        };
        let is_phrase = text[only.words.clone()].contains(' ');
        if is_phrase || !may_have_values(text) {
            return Ok(true);
        }
        // Most messages state all values, and need no words of an `enum`.
        let lacks_values = |it: &Described| it.lacks_values(reading.facts(), &[]);
        Ok(!["topic", "part"].contains(&only.rule)
            && !self.schemas.says(only.tool, self.budget, lacks_values)?)
    }

    /// Returns the recorded mentions in a message, with the positions of their words in the whole.
    fn known(&self, message: usize, whole: &Sentence) -> Vec<Mentioned> {
        let known = self.tracker.mentions_in(message).map(|it| {
            let [first, end] = [it.words.start, it.words.end].map(|at| whole.word_from(at));
            let words = [first, end.max(first + 1) - 1];
            Mentioned { tool: it.tool, at: first, rule: it.rule, words }
        });
        known.collect()
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
