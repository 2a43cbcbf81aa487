//! The four rules that decide which tools a sentence mentions, and the verb that decides if none
//! matches.

use super::{
    index::{Name, ToolIndex},
    matches::{Matches, Mentioned, RuleMatch},
    occurrences::{Occurrence, Occurrences},
    terms::Term,
    work_budget::{Exhausted, WorkBudget},
};

/// The largest distance from one word of the name to the next in a phrase: at most three other
/// words lie between them.
const MAX_DISTANCE: u32 = 4;

/// Applies the rules to one sentence.
pub(super) struct SentenceMatcher<'a> {
    index: &'a ToolIndex,
    sentence: &'a Occurrences<'a>,
    budget: &'a mut WorkBudget,
    matches: Matches,
}

type Rule<'a> = fn(&mut SentenceMatcher<'a>, usize) -> Result<(), Exhausted>;

impl<'a> SentenceMatcher<'a> {
    pub(super) fn new(
        index: &'a ToolIndex,
        sentence: &'a Occurrences<'a>,
        budget: &'a mut WorkBudget,
    ) -> Self {
        Self { index, sentence, budget, matches: Matches::new(sentence.words.len()) }
    }

    /// Returns which of the `candidates` the sentence mentions.
    pub(super) fn mentioned(mut self, candidates: &[usize]) -> Result<Vec<Mentioned>, Exhausted> {
        let rules: [(&'static str, Rule<'a>); 4] = [
            ("name", Self::match_names),
            ("phrase", Self::match_phrases),
            ("topic", Self::match_topics),
            ("keyword", Self::match_keywords),
        ];
        let (mut open, mut mentioned) = (candidates.to_vec(), Vec::new());
        for (name, rule) in rules {
            for tool in &open {
                rule(&mut self, *tool)?;
            }
            let found = self.matches.take(name, self.budget)?;
            open.retain(|tool| found.binary_search_by_key(tool, |it| it.tool).is_err());
            mentioned.extend(found);
        }
        if mentioned.is_empty() {
            let (rule, at) = ("verb", self.sentence.beginning);
            let tool = open.into_iter().find(|tool| self.has_verb(*tool));
            mentioned.extend(tool.map(|tool| Mentioned { tool, at, rule, words: [at, at] }));
        }
        Ok(mentioned)
    }

    /// Matches the words of a name that are consecutive or joined into one word.
    fn match_names(&mut self, tool: usize) -> Result<(), Exhausted> {
        for name in &self.index.tool(tool).names {
            let matches_before = self.matches.found.len();
            for joined in self.sentence.of(name.joined) {
                self.add(tool, name, name.words.len(), vec![(name.joined, *joined)])?;
            }
            let first = name.words.first().filter(|_| name.words.len() > 1);
            for first in first.map_or(&[][..], |first| self.sentence.of(*first)) {
                let mut found = Vec::new();
                let mut next = first.first;
                for term in &name.words {
                    self.budget.spend(1)?;
                    let Some(word) = self.sentence.at(*term, next) else { break };
                    next = word.last + 1;
                    found.push((*term, word));
                }
                if found.len() == name.words.len() {
                    self.add(tool, name, found.len(), found)?;
                }
            }
            self.cover_generic_words(name, matches_before)?;
        }
        Ok(())
    }

    /// Matches the words of a name in order, with few other words between them.
    fn match_phrases(&mut self, tool: usize) -> Result<(), Exhausted> {
        for name in self.index.tool(tool).names.iter().filter(|name| name.is_short()) {
            let matches_before = self.matches.found.len();
            let reached = self.reached_words(name)?;
            let Some(last) = reached.last().filter(|_| reached.len() == name.words.len()) else {
                continue;
            };
            for end in last {
                let mut found = vec![(name.words[reached.len() - 1], *end)];
                for (term, words) in name.words.iter().zip(&reached).rev().skip(1) {
                    let next = found[found.len() - 1].1;
                    found.extend(last_before(words, next).map(|word| (*term, word)));
                }
                found.reverse();
                self.add(tool, name, found.len(), found)?;
            }
            self.cover_generic_words(name, matches_before)?;
        }
        Ok(())
    }

    /// For each word of the name, returns the occurrences that are close enough behind one of the
    /// previous word. Ends at a word that has none.
    fn reached_words(&mut self, name: &Name) -> Result<Vec<Vec<Occurrence>>, Exhausted> {
        let mut reached: Vec<Vec<Occurrence>> = Vec::new();
        for term in &name.words {
            let mut words = self.free(*term, !name.generic.contains(term))?;
            if let Some(before) = reached.last() {
                words.retain(|word| {
                    last_before(before, *word)
                        .is_some_and(|before| word.first - before.last <= MAX_DISTANCE)
                });
            }
            if words.is_empty() {
                break;
            }
            reached.push(words);
        }
        Ok(reached)
    }

    /// Matches the distinctive words of a name, in any order and inflection.
    fn match_topics(&mut self, tool: usize) -> Result<(), Exhausted> {
        for name in self.index.tool(tool).names.iter().filter(|name| name.is_short()) {
            let matches_before = self.matches.found.len();
            let mut words = Vec::new();
            for term in &name.stems {
                words.push((*term, self.free(*term, true)?));
            }
            let rounds = words.iter().map(|(_, words)| words.len()).min().unwrap_or(0);
            for round in 0..rounds {
                let first = words.iter().map(|(_, words)| words[round].first).min().unwrap_or(0);
                let is_negated = self.sentence.words[first as usize].is_negated;
                let taken = if is_negated { round..round + 1 } else { round..usize::MAX };
                let found = words.iter().flat_map(|(term, words)| {
                    words[round..words.len().min(taken.end)].iter().map(|word| (*term, *word))
                });
                let found = found.collect();
                self.add(tool, name, name.stems.len(), found)?;
                if !is_negated {
                    break;
                }
            }
            let covered = self.cover_generic_words(name, matches_before)?;
            self.matches.found[matches_before..].iter_mut().for_each(|found| found.size += covered);
        }
        Ok(())
    }

    /// Matches any keyword of the tool's category, and arithmetic if the category includes it.
    fn match_keywords(&mut self, tool: usize) -> Result<(), Exhausted> {
        let terms = self.index.tool(tool);
        let mut found = Vec::new();
        for keyword in &terms.keywords {
            found.extend(self.free(*keyword, true)?);
        }
        if terms.has_arithmetic {
            let arithmetic = &self.sentence.arithmetic;
            self.budget.spend(arithmetic.len())?;
            found.extend(arithmetic.iter().filter(|pair| self.is_free(pair, true)));
        }
        self.matches.found.extend(found.into_iter().map(|word| RuleMatch {
            tool,
            size: 1,
            distinctive: (word.first..=word.last).collect(),
            other: Vec::new(),
            is_negated: self.sentence.words[word.first as usize].is_negated,
        }));
        Ok(())
    }

    /// Returns `true` if the sentence begins with the verb of the tool.
    fn has_verb(&self, tool: usize) -> bool {
        let verb = self.index.tool(tool).verb;
        let word = verb.and_then(|verb| self.sentence.at(verb, self.sentence.beginning));
        word.is_some_and(|word| self.is_free(&word, true))
    }

    /// Returns the occurrences of a term outside quotes. Those of a distinctive word are also outside
    /// the matches by earlier rules.
    fn free(&mut self, term: Term, is_distinctive: bool) -> Result<Vec<Occurrence>, Exhausted> {
        let words = self.sentence.of(term);
        self.budget.spend(1 + words.len())?;
        Ok(words.iter().filter(|word| self.is_free(word, is_distinctive)).copied().collect())
    }

    fn is_free(&self, word: &Occurrence, is_distinctive: bool) -> bool {
        let mut positions = word.first as usize..=word.last as usize;
        !positions
            .any(|at| self.sentence.words[at].is_quoted || is_distinctive && self.matches.taken[at])
    }

    /// Adds a match of words of a name. If all words of the name are generic, all are distinctive.
    fn add(
        &mut self,
        tool: usize,
        name: &Name,
        size: usize,
        words: Vec<(Term, Occurrence)>,
    ) -> Result<(), Exhausted> {
        self.budget.spend(words.len())?;
        let first = words.iter().map(|(_, word)| word.first).min().unwrap_or(0);
        let is_negated = self.sentence.words[first as usize].is_negated;
        let mut found = RuleMatch { tool, size, is_negated, ..RuleMatch::default() };
        for (term, word) in words {
            let is_other =
                !name.distinctive.is_empty() && name.generic.binary_search(&term).is_ok();
            let list = if is_other { &mut found.other } else { &mut found.distinctive };
            list.extend(word.first..=word.last);
        }
        self.matches.found.push(found);
        Ok(())
    }

    /// Adds the generic words of a name that the sentence contains to the first of its matches.
    /// Returns how many of them it contains.
    fn cover_generic_words(&mut self, name: &Name, first: usize) -> Result<usize, Exhausted> {
        let Some(found) = self.matches.found.get_mut(first) else { return Ok(0) };
        let mut covered = 0;
        for term in &name.generic {
            let words = self.sentence.of(*term);
            self.budget.spend(1 + words.len())?;
            covered += usize::from(!words.is_empty());
            found.other.extend(words.iter().flat_map(|word| word.first..=word.last));
        }
        Ok(covered)
    }
}

/// Returns the last of the words that end before a word starts.
fn last_before(words: &[Occurrence], next: Occurrence) -> Option<Occurrence> {
    let end = words.partition_point(|word| word.last < next.first);
    words[..end].last().copied()
}
