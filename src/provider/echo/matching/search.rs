//! The search through texts: sentence by sentence, which tools are mentioned.

use super::{
    budget::{Budget, Exhausted},
    filter::Filter,
    index::Index,
    ledger::Ledger,
    links::links,
    rules::Rules,
    sentence::Sentence,
    words::Words,
};

/// A search, with the room that it uses again for every sentence.
pub(super) struct Search<'a> {
    index: &'a Index<'a>,
    filter: Option<&'a Filter<'a>>,
    ledger: &'a mut Ledger,
    budget: &'a mut Budget,
    sentence: Sentence,
    lower: String,
}

/// A tool, and where the words stand that mention it.
struct Match {
    tool: u32,
    positions: Vec<u32>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        index: &'a Index<'a>,
        filter: Option<&'a Filter<'a>>,
        ledger: &'a mut Ledger,
        budget: &'a mut Budget,
    ) -> Self {
        Self { index, filter, ledger, budget, sentence: Sentence::default(), lower: String::new() }
    }

    /// Whether `message` could mention a tool that would then be called.
    pub(super) fn may_gain(&mut self, message: usize) -> bool {
        self.ledger.any_open(message)
    }

    /// Notes the tools that the text of a message mentions.
    pub(super) fn read(&mut self, message: usize, text: &str) -> Result<(), Exhausted> {
        match self.filter.and_then(|filter| filter.parts(text)) {
            Some(mut parts) => parts.try_for_each(|part| self.read_all(message, part)),
            None => self.read_all(message, text),
        }
    }

    fn read_all(&mut self, message: usize, text: &str) -> Result<(), Exhausted> {
        let left_out = links(text);
        for word in Words::new(text, &left_out) {
            if word.starts_sentence() {
                self.end_sentence(message)?;
            }
            let lower = word.lower_into(&mut self.lower);
            self.sentence.push(&word, lower, self.index, self.budget)?;
        }
        self.end_sentence(message)
    }

    fn end_sentence(&mut self, message: usize) -> Result<(), Exhausted> {
        if !self.sentence.is_idle() {
            self.sentence.places.sort();
            let candidates = self.candidates()?;
            if candidates.iter().any(|tool| self.ledger.is_open(*tool as usize, message)) {
                let matches = self.matches(&candidates)?;
                self.note(message, &matches)?;
            }
        }
        self.sentence.clear();
        Ok(())
    }

    /// The tools that are worth a look, in order.
    fn candidates(&mut self) -> Result<Vec<u32>, Exhausted> {
        let mut candidates = Vec::new();
        for term in self.sentence.places.keys() {
            let anchored = self.index.anchors.of(term);
            self.budget.spend(anchored.len())?;
            candidates.extend(anchored);
        }
        if !self.sentence.arithmetic.is_empty() {
            self.budget.spend(self.index.calculators.len())?;
            candidates.extend(&self.index.calculators);
        }
        candidates.sort_unstable();
        candidates.dedup();
        Ok(candidates)
    }

    fn matches(&mut self, candidates: &[u32]) -> Result<Vec<Match>, Exhausted> {
        let (index, sentence) = (self.index, &self.sentence);
        let mut rules = Rules { index, sentence, budget: self.budget };
        let mut matches = Vec::new();
        for &tool in candidates {
            let positions = rules.apply(tool)?;
            if !positions.is_empty() {
                matches.push(Match { tool, positions });
            }
        }
        Ok(matches)
    }

    fn note(&mut self, message: usize, matches: &[Match]) -> Result<(), Exhausted> {
        for found in matches {
            let tool = found.tool as usize;
            if self.ledger.is_open(tool, message) && !self.is_part(found, matches)? {
                self.ledger.mention(tool, message);
            }
        }
        Ok(())
    }

    /// Whether all words of a match lie in another match, of more words: those of get_user in
    /// "list users" lie in that of list_users.
    fn is_part(&mut self, found: &Match, matches: &[Match]) -> Result<bool, Exhausted> {
        self.budget.spend(matches.len())?;
        for other in matches {
            if found.positions.len() < other.positions.len() {
                self.budget.spend(other.positions.len())?;
                if lies_in(&found.positions, &other.positions) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Whether all of `some` are among `all`; both in order.
fn lies_in(some: &[u32], all: &[u32]) -> bool {
    let mut all = all.iter();
    some.iter().all(|position| all.any(|other| other == position))
}
