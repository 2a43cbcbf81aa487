//! The last rule: the words of a name that were said, with those of the tool's description, suffice
//! for the tool that fits best.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    matches::Mentioned,
    occurrences::Occurrences,
    partial_tool::{PartialTool, Said, Score},
    schemas::Schemas,
    terms::{Term, Terms, first_word},
    work_budget::WorkBudget,
};
use crate::effort::Unfinished;
use crate::facts::Reading;
use crate::text::{
    Sentence, Word, canonical_words,
    lexicon::{CHANGES, OFFERS, QUESTIONS, SEARCHES, contains, is_telling, list},
    stem,
};

/// The words of names and descriptions, with the tools that have them.
#[derive(Debug, Default)]
pub(super) struct PartialIndex {
    pub(super) tools: Vec<PartialTool>,
    pub(super) by_name: BTreeMap<Term, Vec<usize>>,
    /// By the verb that asks for it, the tool.
    pub(super) by_verb: BTreeMap<Term, usize>,
    /// The tools by the stems of all their verbs.
    pub(super) by_action: BTreeMap<Term, Vec<usize>>,
    /// By the verb of a request, the tools with another verb that it may ask for, each with the word that
    /// the request has to have.
    pub(super) by_request: BTreeMap<Term, Vec<(usize, Option<&'static str>)>>,
    /// "new", which asks for a tool within a clause too: "I need a new ticket".
    new: Option<Term>,
    /// The tools that change something.
    pub(super) changes: Vec<usize>,
    /// The only tool that searches, if others are on offer, and the verbs that ask for a search.
    pub(super) search: Option<usize>,
    searches: Vec<Term>,
    /// Other verbs that may start what is a search.
    offers: Vec<Term>,
    /// By stem, the tools whose descriptions have the word and whose names do not.
    by_description: BTreeMap<String, Vec<usize>>,
}

impl PartialIndex {
    /// Indexes tools by their names and descriptions.
    pub(super) fn new(
        sources: &[(String, String)],
        terms: &Terms,
        verbs: impl Iterator<Item = Option<Term>>,
    ) -> Self {
        let names: Vec<_> = sources.iter().map(|(name, _)| canonical_words(name)).collect();
        let prefixes = prefixes(&names);
        let mut index = Self::default();
        let verbs = verbs.enumerate().filter_map(|(tool, verb)| Some((verb?, tool)));
        index.by_verb.extend(verbs);
        let mut searches = (0..names.len()).filter(|at| is_search(&names[*at]));
        index.search = searches.next().filter(|_| names.len() > 1 && searches.next().is_none());
        let is_change =
            |at: &usize| first_word(&names[*at]).is_some_and(|it| contains(CHANGES, it));
        index.changes = (0..names.len()).filter(is_change).collect();
        index.new = terms.stem("new");
        index.searches = list(SEARCHES).filter_map(|verb| terms.stem(verb)).collect();
        index.offers = list(OFFERS).filter_map(|verb| terms.stem(verb)).collect();
        for (at, (name, (_, description))) in names.iter().zip(sources).enumerate() {
            let tool = PartialTool::new(name, description, &prefixes, terms);
            tool.action.iter().for_each(|term| index.by_action.entry(*term).or_default().push(at));
            for (term, particle) in tool.requests.iter().copied() {
                index.by_request.entry(term).or_default().push((at, particle));
            }
            tool.name.iter().for_each(|term| index.by_name.entry(*term).or_default().push(at));
            for word in canonical_words(description).iter().filter(|word| is_telling(word)) {
                if terms.stem(word).is_none_or(|term| !tool.name.contains(&term)) {
                    let tools = index.by_description.entry(stem(word).into_owned()).or_default();
                    if tools.last() != Some(&at) {
                        tools.push(at);
                    }
                }
            }
            index.tools.push(tool);
        }
        index
    }

    /// Returns `true` if a term is a word of a name, or asks for a tool with another.
    pub(super) fn has(&self, term: Term) -> bool {
        self.has_anywhere(term)
            || self.by_request.contains_key(&term)
            || self.search.is_some() && self.offers.contains(&term)
    }

    /// Returns `true` if a term counts wherever it stands, not only as the first word of a clause.
    pub(super) fn has_anywhere(&self, term: Term) -> bool {
        self.by_name.contains_key(&term)
            || self.by_action.contains_key(&term)
            || Some(term) == self.new && self.by_request.contains_key(&term)
            || self.search.is_some() && self.searches.contains(&term)
    }

    /// Returns `true` if a canonical word is one of a tool's name as it is.
    pub(super) fn is_word(&self, tool: usize, word: &str) -> bool {
        self.tools[tool].words.iter().any(|it| it == word)
    }

    /// Returns the tools that a sentence of a text asks for, those of its clauses, or that of the whole, and
    /// which of the `known` mentions they displace. Clauses with words of the others ask for no other tool.
    pub(super) fn mentioned(
        &self,
        (reading, sentence): (&Reading, &Sentence),
        occurrences: &Occurrences,
        is_pending: impl Fn(usize) -> bool,
        known: &[Mentioned],
        schemas: &Schemas,
        budget: &mut WorkBudget,
    ) -> Result<(Vec<Mentioned>, Vec<usize>), Unfinished> {
        let is_known = |term| self.has(term) || self.by_verb.contains_key(&term);
        let text = &reading.text;
        let clauses = match occurrences.terms().any(is_known) {
            true => clauses(text, sentence),
            false => Vec::new(),
        };
        let mut search =
            Search { index: self, reading, schemas, sentence, occurrences, is_pending, budget };
        let (mut mentioned, mut displaced): (Vec<Mentioned>, _) = (Vec::new(), Vec::new());
        let mut is_about_known = !known.is_empty();
        let is_divided = clauses.len() > 1;
        for clause in clauses {
            search.budget.spend(known.len())?;
            let refers_back = search.refers_back(&clause);
            is_about_known |= refers_back;
            let is_in = |it: &&Mentioned| it.words[0] < clause.end && clause.start <= it.words[1];
            let said: Vec<_> = known.iter().filter(is_in).copied().collect();
            // The known mentions were searched for with more care: "Don't send an email, call him".
            let is_negated = sentence.words[clause.clone()].iter().any(|word| word.is_negated);
            let best = match said.as_slice() {
                _ if refers_back || is_negated && !known.is_empty() => None,
                [] => search.meant(&clause)?,
                [said] => search.rival(&clause, said)?,
                _ => None,
            };
            let found = match best {
                Some(_) if search.is_flag(&clause, known.iter().chain(&mentioned))? => {
                    is_about_known = true;
                    None
                }
                Some(tool) => search.mention_for(tool, clause, &said)?,
                None if is_divided && said.len() < 2 && !refers_back && !is_negated => {
                    search.by_values_of_clause(&clause, &said)?
                }
                None => None,
            };
            let Some(found) = found else { continue };
            displaced.extend(said.iter().map(|it| it.tool));
            if mentioned.iter().all(|it| it.tool != found.tool) {
                mentioned.push(found);
            }
        }
        let whole = 0..sentence.words.len();
        if is_divided && !is_about_known && mentioned.len() < 2 {
            let best = search.meant(&whole)?;
            let best = best.and_then(|tool| search.mention(tool, whole.clone()));
            mentioned = best.or(mentioned.pop()).into_iter().collect();
        }
        // The whole message is searched for values later.
        let is_part = sentence.range != (0..text.len());
        if is_part && known.is_empty() && mentioned.is_empty() {
            mentioned.extend(search.by_values(whole, &[])?);
        }
        mentioned.sort_by_key(|it| it.tool);
        Ok((mentioned, displaced))
    }
}

/// The search of a sentence.
pub(super) struct Search<'s, P> {
    pub(super) index: &'s PartialIndex,
    pub(super) reading: &'s Reading,
    pub(super) schemas: &'s Schemas<'s>,
    pub(super) sentence: &'s Sentence,
    pub(super) occurrences: &'s Occurrences<'s>,
    pub(super) is_pending: P,
    pub(super) budget: &'s mut WorkBudget,
}

impl<P: Fn(usize) -> bool> Search<'_, P> {
    /// Returns the tool that some words mean: the one that fits them best, or that they begin to ask for.
    fn meant(&mut self, words: &Range<usize>) -> Result<Option<usize>, Unfinished> {
        match self.best(words.clone())? {
            None => self.by_opening(words),
            tool => Ok(tool),
        }
    }

    /// Returns the tool that fits some words of the sentence best, if no other fits as well.
    pub(super) fn best(&mut self, words: Range<usize>) -> Result<Option<usize>, Unfinished> {
        let terms = self.terms(&words)?;
        let tools = terms.iter().filter_map(|term| self.index.by_name.get(term));
        let mut said = counts(tools, self.budget)?;
        let asked = self.asked(&words)?;
        for (tool, particle) in &asked {
            let PartialTool { name, action, .. } = &self.index.tools[*tool];
            let is_alone = particle.is_some() && name.len() == 1;
            let has_verb = |it: &Term| name.contains(it) && !terms.contains(it);
            if action.as_ref().is_some_and(has_verb) && (is_alone || said.contains_key(tool)) {
                *said.entry(*tool).or_default() += 1;
            }
        }
        said.retain(|tool, _| (self.is_pending)(*tool));
        if said.is_empty() {
            return Ok(None);
        }
        let described = self.described(&words)?;
        let (is_only, has_number) = (self.index.tools.len() == 1, self.has_number(&words));
        let mut scores: Vec<(Score, usize)> = Vec::new();
        let is_question =
            contains(QUESTIONS, self.occurrences.form(self.first_word(&words).min(words.end - 1)));
        for (tool, name) in &said {
            if is_question && self.index.tools[*tool].lacks_verb(&terms) {
                continue;
            }
            let described = described.get(tool).copied().unwrap_or(0);
            let mut said = Said {
                terms: &terms,
                name: *name,
                described,
                has_number,
                has_verb: asked.contains_key(tool),
                has_value: false,
                is_described: false,
            };
            let mut score = self.index.tools[*tool].score(&said, is_only);
            if score.is_none() {
                said.has_value = self.has_value(*tool, &words)?
                    || self.is_wished(*tool, &words, said.has_verb)?
                    || self.is_filled(*tool, &words)?
                    || self.index.tools[*tool].has_head(&terms)
                        && self.is_identified(*tool, &words)?;
                said.is_described = self.is_described(*tool, &words)?;
                score = self.index.tools[*tool].score(&said, is_only);
            }
            scores.extend(score.map(|it| (it, *tool)));
        }
        scores.sort_unstable();
        Ok(match scores.as_slice() {
            [.., (next, _), (best, _)] if next == best => None,
            scores => scores.last().map(|(_, tool)| *tool),
        })
    }

    /// Returns the mention of a tool by a clause that may mention others, unless it says too little.
    fn mention_for(
        &mut self,
        tool: usize,
        clause: Range<usize>,
        said: &[Mentioned],
    ) -> Result<Option<Mentioned>, Unfinished> {
        let Some(found) = self.mention(tool, clause) else { return Ok(None) };
        let is_weak = said.is_empty() && (self.needs_verb(tool) || self.is_vague(&found)?);
        Ok((!is_weak).then_some(found))
    }

    /// Returns the mention of a tool by some words, unless they tell of it.
    pub(super) fn mention(&self, tool: usize, words: Range<usize>) -> Option<Mentioned> {
        let PartialTool { name, action, .. } = &self.index.tools[tool];
        let is_of_tool = |term: &Term| name.contains(term) || *action == Some(*term);
        let said = self.occurrences.in_words(&words).filter(|it| is_of_tool(&it.term));
        let (first, last) = (said.clone().map(|it| it.first).min(), said.map(|it| it.last).max());
        let at = words.start;
        let verb = self.first_word(&words).min(words.end - 1);
        let words = [first.unwrap_or(verb), last.unwrap_or(verb)];
        let is_told = self.occurrences.is_told(words);
        (!is_told).then_some(Mentioned { tool, at, rule: "part", words })
    }

    /// Returns the distinct terms of words outside of quotes that are not negated.
    fn terms(&mut self, words: &Range<usize>) -> Result<BTreeSet<Term>, Unfinished> {
        self.budget.spend(words.len())?;
        Ok(self.occurrences.in_words(words).map(|it| it.term).collect())
    }

    /// Counts the distinct words of each tool's name.
    pub(super) fn named(
        &mut self,
        words: &Range<usize>,
    ) -> Result<BTreeMap<usize, usize>, Unfinished> {
        let terms = self.terms(words)?;
        counts(terms.iter().filter_map(|term| self.index.by_name.get(term)), self.budget)
    }

    /// Returns `true` if some words state a number and negate nothing.
    fn has_number(&self, words: &Range<usize>) -> bool {
        let words = &self.sentence.words[words.clone()];
        let starts_with_digit =
            |word: &Word| self.sentence.form(word).starts_with(|c: char| c.is_ascii_digit());
        words.iter().any(starts_with_digit) && !words.iter().any(|word| word.is_negated)
    }

    /// Counts the distinct words of each tool's description.
    pub(super) fn described(
        &mut self,
        words: &Range<usize>,
    ) -> Result<BTreeMap<usize, usize>, Unfinished> {
        let form = |word: &Word| self.sentence.form(word);
        let is_said = |word: &&Word| word.is_said() && is_telling(form(word));
        let said = self.sentence.words[words.clone()].iter().filter(is_said);
        let stems: BTreeSet<Cow<str>> = said.map(|word| stem(form(word))).collect();
        counts(stems.iter().filter_map(|stem| self.index.by_description.get(&**stem)), self.budget)
    }
}

/// Counts in how many of some lists each tool is.
fn counts<'i>(
    lists: impl Iterator<Item = &'i Vec<usize>>,
    budget: &mut WorkBudget,
) -> Result<BTreeMap<usize, usize>, Unfinished> {
    let mut counts = BTreeMap::new();
    for tools in lists {
        budget.spend(tools.len())?;
        tools.iter().for_each(|tool| *counts.entry(*tool).or_default() += 1);
    }
    Ok(counts)
}

/// Returns `true` if a name begins with a verb that asks for a search.
pub(super) fn is_search(name: &[String]) -> bool {
    first_word(name).is_some_and(|verb| contains(SEARCHES, verb))
}

/// Returns how many names start with each sequence of words.
fn prefixes(names: &[Vec<String>]) -> BTreeMap<&[String], usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        for end in 1..name.len() {
            *counts.entry(&name[..end]).or_default() += 1;
        }
    }
    counts
}

/// Returns the words of the clauses of a sentence, which commas and conjunctions separate.
fn clauses(text: &str, sentence: &Sentence) -> Vec<Range<usize>> {
    let starts = (1..sentence.words.len()).filter(|at| sentence.starts_clause(text, *at));
    let starts: Vec<usize> = [0].into_iter().chain(starts).chain([sentence.words.len()]).collect();
    starts.windows(2).map(|edges| edges[0]..edges[1]).collect()
}
