//! Searches texts for mentions of tools, sentence by sentence.

use super::{
    addresses::find_addresses,
    index::Index,
    mention_tracker::MentionTracker,
    prefilter::Prefilter,
    rules::SentenceMatcher,
    sentence::Sentence,
    tokens::Tokens,
    work_budget::{Exhausted, WorkBudget},
};

/// A search, with buffers that are reused for every sentence.
pub(super) struct Searcher<'a> {
    index: &'a Index<'a>,
    prefilter: Option<&'a Prefilter<'a>>,
    tracker: &'a mut MentionTracker,
    budget: &'a mut WorkBudget,
    sentence: Sentence,
    lowercase: String,
}

/// A tool and the positions of the words that mention it.
struct Match {
    tool: u32,
    positions: Vec<u32>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        index: &'a Index<'a>,
        prefilter: Option<&'a Prefilter<'a>>,
        tracker: &'a mut MentionTracker,
        budget: &'a mut WorkBudget,
    ) -> Self {
        let (sentence, lowercase) = (Sentence::default(), String::new());
        Self { index, prefilter, tracker, budget, sentence, lowercase }
    }

    /// Returns `true` if a mention of any tool in `message` could still count.
    pub(super) fn any_pending(&mut self, message: usize) -> bool {
        self.tracker.any_pending(message)
    }

    /// Records the tools that `text`, the text of `message`, mentions.
    pub(super) fn search(&mut self, message: usize, text: &str) -> Result<(), Exhausted> {
        match self.prefilter.and_then(|prefilter| prefilter.candidates(text)) {
            Some(mut parts) => parts.try_for_each(|part| self.search_part(message, part)),
            None => self.search_part(message, text),
        }
    }

    fn search_part(&mut self, message: usize, text: &str) -> Result<(), Exhausted> {
        let excluded = find_addresses(text);
        for token in Tokens::new(text, &excluded) {
            if token.starts_sentence() {
                self.end_sentence(message)?;
            }
            let lowercase = token.lowercase_into(&mut self.lowercase);
            self.sentence.push(&token, lowercase, self.index, self.budget)?;
        }
        self.end_sentence(message)
    }

    fn end_sentence(&mut self, message: usize) -> Result<(), Exhausted> {
        if self.sentence.may_mention_tools() {
            self.sentence.positions.sort();
            let candidates = self.candidates()?;
            if candidates.iter().any(|tool| self.tracker.is_pending(*tool as usize, message)) {
                let matches = self.matches(&candidates)?;
                self.record(message, &matches)?;
            }
        }
        self.sentence.clear();
        Ok(())
    }

    /// Returns the tools that the sentence may mention, sorted.
    fn candidates(&mut self) -> Result<Vec<u32>, Exhausted> {
        let mut candidates = Vec::new();
        for term in self.sentence.positions.keys() {
            let anchored = self.index.anchors.get(term);
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

    fn matches(&mut self, candidates: &[u32]) -> Result<Vec<Match>, Exhausted> {
        let (index, sentence) = (self.index, &self.sentence);
        let mut matcher = SentenceMatcher { index, sentence, budget: self.budget };
        let mut matches = Vec::new();
        for &tool in candidates {
            let positions = matcher.positions(tool)?;
            if !positions.is_empty() {
                matches.push(Match { tool, positions });
            }
        }
        Ok(matches)
    }

    fn record(&mut self, message: usize, matches: &[Match]) -> Result<(), Exhausted> {
        for found in matches {
            let tool = found.tool as usize;
            if self.tracker.is_pending(tool, message) && !self.is_covered(found, matches)? {
                self.tracker.record(tool, message);
            }
        }
        Ok(())
    }

    /// Returns `true` if another match contains all words of `found` and more. In "list users",
    /// `list_users` covers `get_user`.
    fn is_covered(&mut self, found: &Match, matches: &[Match]) -> Result<bool, Exhausted> {
        self.budget.spend(matches.len())?;
        for other in matches {
            if found.positions.len() < other.positions.len() {
                self.budget.spend(other.positions.len())?;
                if is_subset(&found.positions, &other.positions) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Returns `true` if `all` contains every item of `some`. Both must be sorted.
fn is_subset(some: &[u32], all: &[u32]) -> bool {
    let mut all = all.iter();
    some.iter().all(|position| all.any(|other| other == position))
}
