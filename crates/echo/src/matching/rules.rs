//! The four rules that decide which tools a sentence mentions, and the verb that decides if none
//! matches.

use super::{
    index::{Name, ToolIndex},
    matches::{Mentioned, RuleMatch},
    occurrences::{Occurrence, Occurrences},
    schemas::Schemas,
    terms::Term,
    work_budget::WorkBudget,
};

use crate::{arguments::Described, effort::Unfinished, facts::FactType};

/// The largest distance from one word of the name to the next in a phrase: at most three other
/// words lie between them.
const MAX_DISTANCE: usize = 4;

/// Applies the rules to one sentence.
pub(super) struct SentenceMatcher<'a> {
    index: &'a ToolIndex,
    schemas: &'a Schemas<'a>,
    sentence: &'a Occurrences<'a>,
    budget: &'a mut WorkBudget,
    /// By position, whether a match by an earlier rule contains the word.
    taken: Vec<bool>,
    /// The matches by the current rule, in the order of the tools.
    found: Vec<RuleMatch>,
    /// The tools that earlier rules found.
    mentioned: Vec<Mentioned>,
    /// The tools whose words only say what a value is.
    labeled: Vec<usize>,
}

type Rule<'a> = fn(&mut SentenceMatcher<'a>, usize) -> Result<(), Unfinished>;

impl<'a> SentenceMatcher<'a> {
    pub(super) fn new(
        index: &'a ToolIndex,
        schemas: &'a Schemas<'a>,
        sentence: &'a Occurrences<'a>,
        budget: &'a mut WorkBudget,
    ) -> Self {
        let taken = vec![false; sentence.words().len()];
        let (found, mentioned, labeled) = (Vec::new(), Vec::new(), Vec::new());
        Self { index, schemas, sentence, budget, taken, found, mentioned, labeled }
    }

    /// Returns which of the `candidates` the sentence mentions, and whose words only say what a value is.
    pub(super) fn mentioned(
        mut self,
        candidates: &[usize],
    ) -> Result<(Vec<Mentioned>, Vec<usize>), Unfinished> {
        let rules: [(&'static str, Rule<'a>); 4] = [
            ("name", Self::match_names),
            ("phrase", Self::match_phrases),
            ("topic", Self::match_topics),
            ("keyword", Self::match_keywords),
        ];
        let mut open = candidates.to_vec();
        for (name, rule) in rules {
            for tool in &open {
                rule(&mut self, *tool)?;
            }
            let found = self.take(name)?;
            open.retain(|tool| found.binary_search_by_key(tool, |it| it.tool).is_err());
            self.mentioned.extend(found);
        }
        if self.mentioned.is_empty() {
            let (rule, at) = ("verb", self.sentence.beginning);
            let tool = open.into_iter().find(|tool| self.has_verb(*tool));
            self.mentioned.extend(tool.map(|tool| Mentioned { tool, at, rule, words: [at, at] }));
        }
        Ok((self.mentioned, self.labeled))
    }

    /// Returns the tools that the current rule, which has this name, matches, sorted, and where.
    /// Removes its matches and takes their words.
    fn take(&mut self, rule: &'static str) -> Result<Vec<Mentioned>, Unfinished> {
        let mut tools = Vec::new();
        if self.found.is_empty() {
            return Ok(tools);
        }
        let mut largest = vec![0; self.taken.len()];
        for found in &self.found {
            self.budget.spend(found.distinctive.len() + found.other.len())?;
            found.positions().for_each(|at| largest[at] = found.size.max(largest[at]));
        }
        self.drop_labels()?;
        // In "list users", the match of `list_users` contains that of `get_user`.
        let stands = |it: &RuleMatch| it.distinctive.iter().all(|at| largest[*at] <= it.size);
        for found in self.found.drain(..).filter(stands) {
            found.positions().for_each(|at| self.taken[at] = true);
            let is_new = tools.last().is_none_or(|last: &Mentioned| last.tool != found.tool);
            if !found.is_void && is_new {
                let at = found.distinctive.iter().min().copied().unwrap_or(0);
                tools.push(Mentioned { tool: found.tool, at, rule, words: found.words() });
            }
        }
        Ok(tools)
    }

    /// Drops the matches of a single word that says what a value is near a longer match: "Log 3 hours of work on
    /// task WEB-1" is not about `search_tasks`.
    fn drop_labels(&mut self) -> Result<(), Unfinished> {
        let longer = |it: &&RuleMatch| it.distinctive.len() > 1 && !it.is_void;
        let longer: Vec<_> = self.found.iter().filter(longer).map(RuleMatch::words).collect();
        for found in self.found.iter_mut().filter(|it| it.distinctive.len() == 1) {
            self.budget.spend(1 + longer.len())?;
            let at = found.distinctive[0];
            let is_near = |[_, last]: &[usize; 2]| self.sentence.are_near(*last, at);
            if self.sentence.label(at).is_some() && longer.iter().any(is_near) {
                found.is_void = true;
                self.labeled.push(found.tool);
            }
        }
        Ok(())
    }

    /// Matches the words of a name that are consecutive or joined into one word.
    fn match_names(&mut self, tool: usize) -> Result<(), Unfinished> {
        for name in &self.index.tools[tool].names {
            let matches_before = self.found.len();
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
    fn match_phrases(&mut self, tool: usize) -> Result<(), Unfinished> {
        for name in self.index.tools[tool].names.iter().filter(|name| name.is_short()) {
            let matches_before = self.found.len();
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
    fn reached_words(&mut self, name: &Name) -> Result<Vec<Vec<Occurrence>>, Unfinished> {
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
    fn match_topics(&mut self, tool: usize) -> Result<(), Unfinished> {
        for name in self.index.tools[tool].names.iter().filter(|name| name.is_short()) {
            let matches_before = self.found.len();
            let mut words = Vec::new();
            for term in &name.stems {
                let mut found = self.free(*term, true)?;
                // "I ordered a sofa" is not about `get_order`.
                found.retain(|it| name.stems.len() > 1 || !self.sentence.is_verb(it.first));
                words.push((*term, found));
            }
            let rounds = words.iter().map(|(_, words)| words.len()).min().unwrap_or(0);
            for round in 0..rounds {
                let first = words.iter().map(|(_, words)| words[round].first).min().unwrap_or(0);
                let is_negated = self.sentence.words()[first].is_negated;
                let taken = if is_negated { round..round + 1 } else { round..usize::MAX };
                let found = words.iter().flat_map(|(term, words)| {
                    words[round..words.len().min(taken.end)].iter().map(|word| (*term, *word))
                });
                let found: Vec<_> = found.collect();
                match self.is_done(tool, &found) {
                    true => self.labeled.push(tool),
                    false => self.add(tool, name, name.stems.len(), found)?,
                }
                if !is_negated {
                    break;
                }
            }
            let covered = self.cover_generic_words(name, matches_before)?;
            for at in matches_before..self.found.len() {
                self.found[at].size += covered;
                if self.sentence.is_told(self.found[at].words()) || self.is_label(at)? {
                    self.found[at].is_void = true;
                    self.labeled.push(tool);
                }
            }
        }
        Ok(())
    }

    /// Returns `true` if the action of a tool was only said of something that it was done to.
    fn is_done(&self, tool: usize, found: &[(Term, Occurrence)]) -> bool {
        if !self.sentence.is_question() && self.mentioned.is_empty() {
            return false;
        }
        let action = self.index.partial().tools[tool].action;
        type Words<'w> = Vec<&'w (Term, Occurrence)>;
        let (verbs, nouns): (Words, Words) = found.iter().partition(|it| Some(it.0) == action);
        let first = nouns.iter().map(|it| it.1.first).min();
        // "that are assigned to Ada", but not "who discovered radium"
        let is_led = |it: &&(Term, Occurrence)| {
            let next = it.1.last + 1;
            next < self.sentence.words().len() && ["to", "by"].contains(&self.sentence.form(next))
        };
        let is_alone = nouns.is_empty() && verbs.iter().all(is_led);
        let first = first.or(is_alone.then_some(self.sentence.beginning));
        let is_done = |noun: usize| verbs.iter().all(|it| self.sentence.is_done(noun, it.1.first));
        !verbs.is_empty() && first.is_some_and(is_done)
    }

    /// Matches any keyword of the tool's category.
    fn match_keywords(&mut self, tool: usize) -> Result<(), Unfinished> {
        let mut found = Vec::new();
        for keyword in &self.index.tools[tool].keywords {
            found.extend(self.free(*keyword, true)?);
        }
        self.found.extend(found.into_iter().map(|word| RuleMatch {
            tool,
            size: 1,
            distinctive: (word.first..=word.last).collect(),
            other: Vec::new(),
            is_void: self.sentence.words()[word.first].is_negated,
        }));
        Ok(())
    }

    /// Returns `true` if the only word of a match says what values are wherever it stands.
    fn is_label(&mut self, found: usize) -> Result<bool, Unfinished> {
        let RuleMatch { tool, distinctive, other, .. } = &self.found[found];
        let (tool, positions) = (*tool, distinctive.clone());
        let form = |at: &usize| self.sentence.form(*at);
        let is_one = positions.iter().all(|at| form(at) == form(&positions[0]));
        if !is_one || !other.is_empty() {
            return Ok(false);
        }
        for at in positions {
            if !self.is_repeated(at) && !self.is_label_at(tool, at)? && !self.is_in_choice(at)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns `true` for a noun of a mentioned tool that is said again: "Create a task 'A' and a task 'B'".
    fn is_repeated(&self, at: usize) -> bool {
        let form = self.sentence.form(at);
        let before = at.checked_sub(1).map_or("", |before| self.sentence.form(before));
        let says = |it: &Mentioned| {
            let [first, last] = it.words;
            last < at && (first..=last).any(|it| self.sentence.form(it) == form)
        };
        // "Move shoot SH-1 to Monday and shoot SH-2 to Tuesday"
        let is_further = || before == "and" && self.sentence.label(at).is_some();
        (["a", "an", "another", "one"].contains(&before) || is_further())
            && self.mentioned.iter().any(says)
    }

    /// Returns `true` for a word of what another mentioned tool may be called with: "Calculate the fee for a parking
    /// permit" (`parking_permit`), "an offer for 16 panels" (`panel_count`).
    fn is_in_choice(&mut self, at: usize) -> Result<bool, Unfinished> {
        let before = at.checked_sub(1).map_or("", |before| self.sentence.form(before));
        let after = self.sentence.words().get(at + 1).map_or("", |_| self.sentence.form(at + 1));
        let pairs = [[before, self.sentence.form(at)], [self.sentence.form(at), after]];
        let counted = before.bytes().all(|it| it.is_ascii_digit()).then(|| self.sentence.form(at));
        let says = |it: &Described| {
            pairs.iter().any(|pair| it.has_in_choice(*pair))
                || counted.is_some_and(|word| it.counts(word))
        };
        for other in &self.mentioned {
            if self.schemas.says(other.tool, self.budget, says)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns `true` if a word says what a value is that another tool may get: one mentioned near it ("Report
    /// the damage to boat SB-104") or asked to do something with it, or if this tool wants no such value: a
    /// code anywhere ("two seats for concert C-77"), another one in a statement ("The boat 'Ida' is back").
    fn is_label_at(&mut self, tool: usize, at: usize) -> Result<bool, Unfinished> {
        self.budget.spend(self.mentioned.len())?;
        let Some(label) = self.sentence.label(at) else { return Ok(false) };
        let is_for = |other: &Mentioned| {
            self.sentence.are_near(other.at, at)
                || label.starts_statement && at < other.at && self.sentence.has_pronoun(at)
        };
        Ok(self.mentioned.iter().any(is_for)
            || (label.starts_statement || label.types == [FactType::Code])
                && !self.schemas.says(tool, self.budget, |it| it.takes_any(label.types))?)
    }

    /// Returns `true` if the sentence begins with the verb of the tool.
    fn has_verb(&self, tool: usize) -> bool {
        let verb = self.index.tools[tool].verb;
        let word = verb.and_then(|verb| self.sentence.at(verb, self.sentence.beginning));
        word.is_some_and(|word| self.is_free(&word, true))
    }

    /// Returns the occurrences of a term outside quotes. Those of a distinctive word are also outside
    /// the matches by earlier rules.
    fn free(&mut self, term: Term, is_distinctive: bool) -> Result<Vec<Occurrence>, Unfinished> {
        let words = self.sentence.of(term);
        self.budget.spend(1 + words.len())?;
        Ok(words.iter().filter(|word| self.is_free(word, is_distinctive)).copied().collect())
    }

    fn is_free(&self, word: &Occurrence, is_distinctive: bool) -> bool {
        let mut positions = word.first..=word.last;
        !positions
            .any(|at| !self.sentence.words()[at].is_free() || is_distinctive && self.taken[at])
    }

    /// Adds a match of words of a name. If all words of the name are generic, all are distinctive.
    fn add(
        &mut self,
        tool: usize,
        name: &Name,
        size: usize,
        words: Vec<(Term, Occurrence)>,
    ) -> Result<(), Unfinished> {
        self.budget.spend(words.len())?;
        let first = words.iter().map(|(_, word)| word.first).min().unwrap_or(0);
        let is_void = self.sentence.words()[first].is_negated;
        let mut found = RuleMatch { tool, size, is_void, ..RuleMatch::default() };
        for (term, word) in words {
            let is_other = !name.is_generic && name.generic.contains(&term);
            let list = if is_other { &mut found.other } else { &mut found.distinctive };
            list.extend(word.first..=word.last);
        }
        self.found.push(found);
        Ok(())
    }

    /// Adds the generic words of a name that the sentence contains to the first of its matches.
    /// Returns how many of them it contains.
    fn cover_generic_words(&mut self, name: &Name, first: usize) -> Result<usize, Unfinished> {
        let Some(found) = self.found.get_mut(first) else { return Ok(0) };
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
