//! The tool of which a message states all values, in words of its description and its schema.

use std::{collections::BTreeMap, ops::Range};

use super::{
    MAX_UNFILTERED,
    matches::Mentioned,
    openings::Values,
    partial::Search,
    terms::{Term, first_word},
};
use crate::{
    arguments::Described,
    effort::Unfinished,
    text::{
        lexicon::{
            OFFERS, QUESTIONS, SEARCHES, contains, is_calculation, is_common_verb, is_generic,
        },
        sentence_around,
    },
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
/// The maximum number of words from a verb to its particle.
const MAX_PARTICLE: usize = 4;
/// The sum of the words of a clause that support a tool whose values other clauses may state.
const SURE_SUPPORT: usize = 8;
/// Verbs of tools that take something back, in canonical form.
const UNDOING_VERBS: &str = "cancel delete remove drop terminate close withdraw";
/// Words before the verb of what should not be done, in canonical form.
const PROHIBITIONS: &str = "pleas but and so do don t not never you should must";
/// Words that are no verbs at the beginning of a clause.
const NO_VERBS: &str = "the a an for of by in on to with from at this that his her their its our my your which \
     who where when if as because since until";
/// The maximum number of words for each unit of support. In prose, which states values by chance, there are more.
const MAX_WORDS: usize = 5;

/// Returns `true` if a short text has signs of values: digits, names, addresses or quotations.
pub(super) fn may_have_values(text: &str) -> bool {
    let mut rest = text.trim_start().chars().skip(1);
    text.len() <= MAX_UNFILTERED
        && rest.any(|c| c.is_ascii_digit() || c.is_uppercase() || MARKS.contains(c))
}

impl<'s, P: Fn(usize) -> bool> Search<'s, P> {
    /// Returns the tool of which some words state all values and that they support best, if no other is supported
    /// as well. It displaces `known` mentions of single words for tools that lack values: "Lend 4711 to member LC-7"
    /// asks for `check_out_item`, and not for `register_member`.
    pub(super) fn by_values(
        &mut self,
        words: Range<usize>,
        known: &[Mentioned],
    ) -> Result<Option<Mentioned>, Unfinished> {
        if !self.may_state_values(&words) || !self.are_displaceable(known)? {
            return Ok(None);
        }
        let first = self.occurrences.form(self.first_word(&words));
        let is_question = contains(QUESTIONS, first);
        let asks = is_question || contains(OFFERS, first);
        let part = self.byte(words.start)..self.byte(words.end);
        let (supports, mut found) = (self.supports(&words)?, Vec::new());
        for (&tool, &support) in &supports {
            if self.is_denied(tool, &words) || self.needs_verb(tool) {
                continue;
            }
            let text = &self.reading.text;
            let is_stated = support * MAX_WORDS >= words.len()
                && self.states_values(tool, &words, [asks, is_question])?
                && self.schemas.states_all(tool, &text[part.clone()], self.budget)?;
            // "For booking ZT4L8M, reserve seat 9C and order a halal meal."
            if is_stated
                || support >= SURE_SUPPORT
                    && part.len() < text.len()
                    && self.states_values(tool, &self.whole(), [asks, is_question])?
                    && self.schemas.states_all(tool, text, self.budget)?
            {
                found.push((support, tool));
            }
        }
        found.sort_unstable();
        let (support, tool) = match found.as_slice() {
            [.., (next, _), (best, _)] if next == best => return Ok(None),
            [.., best] => *best,
            [] => return Ok(None),
        };
        if self.is_surpassed(support, &supports, &words)? || !self.has_more(tool, known)? {
            return Ok(None);
        }
        let is_known = known.iter().any(|it| it.tool == tool);
        let found = self.mention(tool, words).filter(|_| is_known || (self.is_pending)(tool));
        Ok(found.map(|found| Mentioned { rule: RULE, ..found }))
    }

    /// Returns `true` if some words, which are not the whole message, support another tool better of which the message
    /// states all values: "Could you register Ada for BIO-120? It's for the summer term."
    fn is_surpassed(
        &mut self,
        support: usize,
        supports: &BTreeMap<usize, usize>,
        words: &Range<usize>,
    ) -> Result<bool, Unfinished> {
        let text = &self.reading.text;
        if *words != self.whole() || self.sentence.range == (0..text.len()) {
            return Ok(false);
        }
        for (&tool, &other) in supports {
            if other > support
                && !self.needs_verb(tool)
                && self.schemas.states_all(tool, text, self.budget)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns `true` for a tool that takes something back, if its verb is not said: what people say of an appointment
    /// is seldom that it should be cancelled.
    pub(super) fn needs_verb(&self, tool: usize) -> bool {
        let verb = first_word(&self.index.tools[tool].words);
        verb.is_some_and(|verb| contains(UNDOING_VERBS, verb)) && !self.has_verb(tool)
    }

    /// Returns the tool of which one of several clauses, which may be a request of its own, states all values: "…, and
    /// send Paolo the message 'Hi'".
    pub(super) fn by_values_of_clause(
        &mut self,
        clause: &Range<usize>,
        known: &[Mentioned],
    ) -> Result<Option<Mentioned>, Unfinished> {
        let first = self.first_word(clause);
        let is_request = first < clause.end
            && clause.len() > 2
            && is_telling_verb(
                self.occurrences.form(first),
                &self.reading.text[self.sentence.words[first].range()],
                first,
            );
        if is_request { self.by_values(clause.clone(), known) } else { Ok(None) }
    }

    /// Returns `true` if all mentions are of single words, and of tools that lack values or whose verb is not said, and
    /// that are not asked for otherwise: "Open a claim" asks for `create_claim`.
    fn are_displaceable(&mut self, known: &[Mentioned]) -> Result<bool, Unfinished> {
        let words = self.whole();
        for it in known.iter().filter(|it| it.rule != RULE) {
            let is_word = it.words[0] == it.words[1];
            if !is_word
                || !self.is_weak(it) && !self.lacks_values(it.tool)?
                || self.asked(&words)?.contains_key(&it.tool)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns `true` for a mention by a noun, without a verb.
    fn is_weak(&self, known: &Mentioned) -> bool {
        ["topic", "part", "keyword"].contains(&known.rule) && !self.has_verb(known.tool)
    }

    /// Returns the tools that were only found by their values if another mention, of which the whole message states all
    /// values, lacks them in its sentence: "We brought in 5 tonnes of barley from Long Acre. Please log this harvest."
    pub(super) fn told_before(&mut self, known: &[Mentioned]) -> Result<Vec<usize>, Unfinished> {
        let (by_values, others): (Vec<&Mentioned>, Vec<_>) =
            known.iter().partition(|it| it.rule == RULE);
        for it in others.into_iter().filter(|_| !by_values.is_empty()) {
            let text = &self.reading.text;
            let own = &text[sentence_around(text, 0, self.byte(it.words[0]))];
            let refers_back = [" this", " that", " it", " these", " them"];
            if refers_back.iter().any(|word| own.contains(word))
                && !self.schemas.states_all(it.tool, own, self.budget)?
                && self.schemas.states_all(it.tool, text, self.budget)?
            {
                return Ok(by_values.iter().map(|it| it.tool).collect());
            }
        }
        Ok(Vec::new())
    }

    /// Returns `true` for a mention by a single word, no verb, without any value that a call must have: "I would like to
    /// rent a house" for `search_houses`.
    pub(super) fn is_vague(&mut self, found: &Mentioned) -> Result<bool, Unfinished> {
        if found.words[0] != found.words[1] || self.has_verb(found.tool) {
            return Ok(false);
        }
        let (facts, stems) = self.said_in_sentence()?;
        self.schemas.says(found.tool, self.budget, |it| it.lacks_all(facts, &stems))
    }

    /// Returns `true` if the sentence states more values of a tool than of each known one that has all of its: "Reorder
    /// BX-204 as soon as stock falls below 60" does not ask for `check_stock`.
    fn has_more(&mut self, tool: usize, known: &[Mentioned]) -> Result<bool, Unfinished> {
        let (facts, stems) = self.said_in_sentence()?;
        let count = self.schemas.says(tool, self.budget, |it| it.count_stated(facts, &stems))?;
        for it in known.iter().filter(|it| it.tool != tool) {
            let text = &self.reading.text;
            let lacks_values = self.lacks_values(it.tool)?
                || self.is_weak(it) && !self.schemas.states_all(it.tool, text, self.budget)?;
            let other = |it: &Described| it.count_stated(facts, &stems);
            if !lacks_values && self.schemas.says(it.tool, self.budget, other)? >= count {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns `true` if the sentence does not state all values that a call of a tool must have.
    fn lacks_values(&mut self, tool: usize) -> Result<bool, Unfinished> {
        let (facts, stems) = self.said_in_sentence()?;
        self.schemas.says(tool, self.budget, |it| it.lacks_values(facts, &stems))
    }

    /// Returns the tools of some mentions that have no verb and lack values, if another has all of its.
    pub(super) fn unfilled(&mut self, known: &[Mentioned]) -> Result<Vec<usize>, Unfinished> {
        let mut unfilled = Vec::new();
        if known.len() < 2 || self.reading.text.len() > MAX_UNFILTERED {
            return Ok(unfilled);
        }
        let (weak, others): (Vec<&Mentioned>, Vec<_>) =
            known.iter().partition(|it| self.is_weak(it));
        let mut has_filled = false;
        for it in &others {
            has_filled |= !self.lacks_values(it.tool)?;
        }
        for it in weak {
            let has_rival = others.iter().any(|other| other.words == it.words);
            let is_lacking = self.lacks_values(it.tool)?;
            has_filled |= !is_lacking;
            let wants_several = |it: &Described| it.wants_several();
            if is_lacking
                && (has_rival || self.schemas.says(it.tool, self.budget, wants_several)?)
            {
                unfilled.push(it.tool);
            }
        }
        Ok(if has_filled { unfilled } else { Vec::new() })
    }

    /// Returns `true` if the sentence states all values of a tool. A question, and a request with its verb, may have
    /// the only value, in the form that its description shows: "Where is parcel PX-1?"
    fn states_values(
        &mut self,
        tool: usize,
        words: &Range<usize>,
        [asks, is_question]: [bool; 2],
    ) -> Result<bool, Unfinished> {
        let (facts, stems) = self.said(words)?;
        let (has_verb, is_reading) = (self.has_verb(tool), self.is_reading(tool));
        self.schemas.says(tool, self.budget, |it| {
            (asks || has_verb) && it.is_identified(facts, &stems, has_verb)
                || (!is_question || is_reading) && it.may_be_filled(facts, &stems)
        })
    }

    /// Returns `true` if some words have the only value of a tool, which is listed or in the form of its example.
    pub(super) fn is_identified(
        &mut self,
        tool: usize,
        words: &Range<usize>,
    ) -> Result<bool, Unfinished> {
        let (facts, stems) = self.said(words)?;
        self.schemas.says(tool, self.budget, |it| it.is_identified(facts, &stems, false))
    }

    /// Returns `true` for a tool that a question may ask for.
    fn is_reading(&self, tool: usize) -> bool {
        first_word(&self.index.tools[tool].words)
            .is_some_and(|verb| is_generic(verb) || verb == "track")
    }

    /// Returns `true` if the sentence has the verb of a tool, or one that asks for it: "call it off".
    fn has_verb(&self, tool: usize) -> bool {
        let tool = &self.index.tools[tool];
        let verb = first_word(&tool.words).map_or("", String::as_str);
        let is_verb = |at: usize| {
            let form = self.occurrences.form(at);
            form == verb || [verb, form].iter().all(|it| contains(SEARCHES, it))
        };
        let asks = |at: usize| {
            let terms = self.terms_of(at);
            let mut near = at + 1..self.sentence.words.len().min(at + 1 + MAX_PARTICLE);
            tool.requests.iter().any(|(verb, particle)| {
                terms.contains(verb)
                    && particle.is_some_and(|it| near.any(|at| self.occurrences.form(at) == it))
            })
        };
        self.whole().any(|at| is_verb(at) || asks(at))
    }

    /// Returns `true` for what should not be done: "Please don't lend it".
    fn is_prohibition(&self, words: &Range<usize>) -> bool {
        let is_opening = |at: &usize| contains(PROHIBITIONS, self.occurrences.form(*at));
        let verb = words.clone().find(|at| !is_opening(at));
        verb.is_some_and(|at| self.sentence.words[at].is_negated)
    }

    /// Returns `true` if some words negate one of a tool: "Don't book the lesson".
    fn is_denied(&self, tool: usize, words: &Range<usize>) -> bool {
        let tool = &self.index.tools[tool];
        let is_of_tool = |term: &Term| tool.name.contains(term) || tool.action == Some(*term);
        words.clone().skip(1).any(|at| {
            let before = self.occurrences.form(at - 1);
            self.sentence.words[at].is_negated
                && !contains("no without", before)
                && (self.terms_of(at).iter().any(is_of_tool)
                    || is_common_verb(self.occurrences.form(at)))
        })
    }

    /// Returns the facts and the stems of the words of the sentence, with what stands before the first word.
    fn said_in_sentence(&mut self) -> Result<Values<'s>, Unfinished> {
        let facts = self.facts(self.sentence.range.clone())?;
        Ok((facts, self.stems(&self.whole())))
    }

    /// Returns all words of the sentence.
    fn whole(&self) -> Range<usize> {
        0..self.sentence.words.len()
    }

    /// Returns `false` for what negates or calculates, and if there is no choice between tools. Numbers are the values
    /// of any calculation.
    fn may_state_values(&self, words: &Range<usize>) -> bool {
        let first = self.first_word(words);
        let verb = || self.occurrences.form(first);
        self.index.tools.len() > 1
            && self.reading.text.len() <= MAX_UNFILTERED
            && first < words.end
            && !is_calculation(verb())
            && !self.is_prohibition(words)
    }

    /// Returns how much some words say of each tool, by its name, its description and its schema.
    fn supports(&mut self, words: &Range<usize>) -> Result<BTreeMap<usize, usize>, Unfinished> {
        let (named, described) = (self.named(words)?, self.described(words)?);
        let (facts, stems) = self.said(words)?;
        let all = 0..self.index.tools.len();
        let is_supported = |it: &usize| described.contains_key(it) || named.contains_key(it);
        let is_candidate = |it: &usize| self.index.tools.len() <= MAX_TOOLS || is_supported(it);
        let candidates: Vec<_> = all.filter(is_candidate).take(MAX_TOOLS).collect();
        let mut supports = BTreeMap::new();
        for tool in candidates {
            let [name, description] =
                [&named, &described].map(|it| it.get(&tool).copied().unwrap_or(0));
            let listed = self.schemas.says(tool, self.budget, |it| it.support(facts, &stems))?;
            let verb = usize::from(self.has_verb(tool));
            let support = NAME_WEIGHT * name + DESCRIPTION_WEIGHT * (description + verb) + listed;
            supports.insert(tool, support);
        }
        Ok(supports)
    }
}

/// Returns `true` for a word that may be the verb of a request.
fn is_telling_verb(form: &str, written: &str, at: usize) -> bool {
    (at == 0 || written.starts_with(char::is_lowercase))
        && form.len() > 2
        && !contains(NO_VERBS, form)
        && !written.ends_with("ed")
        && !form.starts_with(|c: char| c.is_ascii_digit())
}
