//! The tool of which a message states all values, in words of its description and its schema.

use std::{collections::BTreeMap, ops::Range};

use super::{MAX_UNFILTERED, matches::Mentioned, partial::Search, terms::first_word};
use crate::{
    effort::Unfinished,
    text::lexicon::{QUESTIONS, contains, is_calculation},
};

/// The marks of values.
const MARKS: &str = "@'\"‘“";
/// The name of the rule.
const RULE: &str = "values";
/// The maximum number of tools whose schemas are compared.
const MAX_TOOLS: usize = 12;
/// What a word of a tool's name and one of its description count, if one that the schema describes a property
/// with counts 1.
const NAME_WEIGHT: usize = 3;
const DESCRIPTION_WEIGHT: usize = 2;
/// The least sum of the words that support a tool.
const MIN_SUPPORT: usize = 6;

/// Returns `true` if a short text has signs of values: digits, names, addresses or quotations.
pub(super) fn may_have_values(text: &str) -> bool {
    let mut rest = text.trim_start().chars().skip(1);
    text.len() <= MAX_UNFILTERED
        && rest.any(|c| c.is_ascii_digit() || c.is_uppercase() || MARKS.contains(c))
}

impl<P: Fn(usize) -> bool> Search<'_, P> {
    /// Returns the tool of which the sentence states all values and that it supports best, if no other is supported
    /// as well. It displaces `known` mentions of single words for tools that lack values: "Lend 4711 to member LC-7"
    /// asks for `check_out_item`, and not for `register_member`.
    pub(super) fn by_values(
        &mut self,
        known: &[Mentioned],
    ) -> Result<Option<Mentioned>, Unfinished> {
        let words = self.whole();
        if !self.may_state_values(&words) || !self.are_displaceable(known)? {
            return Ok(None);
        }
        let is_question = contains(QUESTIONS, self.occurrences.form(self.first_word(&words)));
        let mut found = Vec::new();
        for (tool, support) in self.supports(&words)? {
            if support >= MIN_SUPPORT && self.states_values(tool, is_question)? {
                found.push((support, tool));
            }
        }
        found.sort_unstable();
        let tool = match found.as_slice() {
            [.., (next, _), (best, _)] if next == best => return Ok(None),
            [.., (_, best)] => *best,
            [] => return Ok(None),
        };
        let is_known = known.iter().any(|it| it.tool == tool);
        let found = self.mention(tool, words).filter(|_| is_known || (self.is_pending)(tool));
        Ok(found.map(|found| Mentioned { rule: RULE, ..found }))
    }

    /// Returns `true` if all mentions are of single words and of tools that lack values, and not asked for otherwise:
    /// "Open a claim" asks for `create_claim`.
    fn are_displaceable(&mut self, known: &[Mentioned]) -> Result<bool, Unfinished> {
        let words = self.whole();
        for it in known.iter().filter(|it| it.rule != RULE) {
            let is_word = it.words[0] == it.words[1];
            if !is_word
                || !self.lacks_values(it.tool)?
                || self.asked(&words)?.contains_key(&it.tool)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns `true` if the sentence does not state all values that a call of a tool must have.
    fn lacks_values(&mut self, tool: usize) -> Result<bool, Unfinished> {
        let stems = self.stems(&self.whole());
        let facts = self.facts(self.sentence.range.clone())?;
        self.schemas.says(tool, self.budget, |it| it.lacks_values(facts, &stems))
    }

    /// Returns the tools of some mentions that have no verb and lack values, if another has all of its.
    pub(super) fn unfilled(&mut self, known: &[Mentioned]) -> Result<Vec<usize>, Unfinished> {
        let mut unfilled = Vec::new();
        if known.len() < 2 || self.reading.text.len() > MAX_UNFILTERED {
            return Ok(unfilled);
        }
        let is_weak = |it: &Mentioned| {
            ["topic", "part", "keyword"].contains(&it.rule) && !self.has_verb(it.tool)
        };
        let (weak, others): (Vec<&Mentioned>, Vec<_>) = known.iter().partition(|it| is_weak(it));
        let mut has_filled = false;
        for it in others {
            has_filled |= !self.lacks_values(it.tool)?;
        }
        for it in weak {
            match self.lacks_values(it.tool)? {
                true if self.schemas.says(it.tool, self.budget, |it| it.wants_several())? => {
                    unfilled.push(it.tool);
                }
                is_lacking => has_filled |= !is_lacking,
            }
        }
        Ok(if has_filled { unfilled } else { Vec::new() })
    }

    /// Returns `true` if the sentence states all values of a tool. A question, and a request with its verb, may have
    /// the only value, in the form that its description shows: "Where is parcel PX-1?"
    fn states_values(&mut self, tool: usize, is_question: bool) -> Result<bool, Unfinished> {
        let facts = self.facts(self.sentence.range.clone())?;
        if (is_question || self.has_verb(tool))
            && self.schemas.says(tool, self.budget, |it| it.is_identified(facts))?
        {
            return Ok(true);
        }
        Ok(!is_question && self.is_filled(tool, &self.whole())?)
    }

    /// Returns `true` if the sentence has the verb of a tool.
    fn has_verb(&self, tool: usize) -> bool {
        let verb = first_word(&self.index.tools[tool].words);
        verb.is_some_and(|verb| self.whole().any(|at| self.occurrences.form(at) == verb))
    }

    /// Returns all words of the sentence.
    fn whole(&self) -> Range<usize> {
        0..self.sentence.words.len()
    }

    /// Returns `false` for what negates or calculates, and if there is no choice between tools. Numbers are the values
    /// of any calculation.
    fn may_state_values(&self, words: &Range<usize>) -> bool {
        let is_negated = |at: usize| {
            let before = self.occurrences.form(at - 1);
            self.sentence.words[at].is_negated && !contains("no without", before)
        };
        let first = self.first_word(words);
        let verb = || self.occurrences.form(first);
        self.index.tools.len() > 1
            && may_have_values(&self.reading.text)
            && first < words.end
            && !is_calculation(verb())
            && !(words.start + 1..words.end).any(is_negated)
    }

    /// Returns how much some words say of each tool, by its name, its description and its schema.
    fn supports(&mut self, words: &Range<usize>) -> Result<BTreeMap<usize, usize>, Unfinished> {
        let (named, described) = (self.named(words)?, self.described(words)?);
        let facts = self.facts(self.sentence.range.clone())?;
        let stems = self.stems(words);
        let all = 0..self.index.tools.len();
        let is_supported = |it: &usize| described.contains_key(it) || named.contains_key(it);
        let is_candidate = |it: &usize| self.index.tools.len() <= MAX_TOOLS || is_supported(it);
        let candidates: Vec<_> = all.filter(is_candidate).take(MAX_TOOLS).collect();
        let mut supports = BTreeMap::new();
        for tool in candidates {
            let [name, description] =
                [&named, &described].map(|it| it.get(&tool).copied().unwrap_or(0));
            let listed = self.schemas.says(tool, self.budget, |it| it.support(facts, &stems))?;
            let support = NAME_WEIGHT * name + DESCRIPTION_WEIGHT * description + listed;
            supports.insert(tool, support);
        }
        Ok(supports)
    }
}
