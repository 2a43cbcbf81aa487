//! What a clause asks for by the word that it begins with, and by the values in it.

use std::{borrow::Cow, collections::BTreeMap, ops::Range, rc::Rc};

use super::{occurrences::find_beginning, partial::Search, terms::Term};
use crate::{
    effort::Unfinished,
    facts::{Fact, FactType},
    text::{
        Word, canonical_words,
        lexicon::{
            JOINTS, OFFERS, PRONOUNS, QUESTIONS, SEARCHES, WISH_VERBS, contains, is_calculation,
            is_generic, is_telling,
        },
        stem,
    },
};

/// The number of bytes of a message whose facts are found at the cost of one comparison.
const TEXT_PART: usize = 16;
/// The types of values that only few sentences have.
const RARE: [FactType; 6] = [
    FactType::Code,
    FactType::Email,
    FactType::Phone,
    FactType::Quote,
    FactType::Url,
    FactType::Uuid,
];
/// The types of values to which the verb of a request leads directly.
const OBJECTS: [FactType; 3] = [FactType::Email, FactType::Phone, FactType::Name];

/// Maximum number of facts that may be the values of a call.
const MAX_VALUES: usize = 32;
/// The number of words at the start of a wish.
const MAX_WISH: usize = 5;

/// The facts and the stems of some words.
pub(super) type Values<'s> = (&'s [Rc<Fact>], Vec<Cow<'s, str>>);

impl<'s, P: Fn(usize) -> bool> Search<'s, P> {
    /// Returns the tool that the word at the beginning of a clause asks for.
    pub(super) fn by_opening(
        &mut self,
        clause: &Range<usize>,
    ) -> Result<Option<usize>, Unfinished> {
        let (first, index) = (self.first_word(clause), self.index);
        let Some(word) = self.sentence.words[..clause.end].get(first) else { return Ok(None) };
        let (terms, rest) = (self.terms_of(first), first + 1..clause.end);
        let tool = terms.iter().find_map(|term| index.by_verb.get(term)).copied();
        if let Some(tool) = tool.filter(|tool| (self.is_pending)(*tool)) {
            return Ok(Some(tool));
        }
        let needed = self.needed_support(self.sentence.form(word));
        for term in &terms {
            let tools =
                |tools: &'s BTreeMap<_, Vec<_>>| tools.get(term).map_or(&[][..], Vec::as_slice);
            let by_action = self.by_action(tools(&index.by_action), &rest, needed)?;
            let tool = by_action
                .map_or_else(|| self.by_noun(tools(&index.by_name), &rest), |it| Ok(Some(it)))?;
            if tool.is_some() {
                return Ok(tool);
            }
        }
        match self.by_request(clause, &rest)? {
            None => self.by_search(word, &rest),
            tool => Ok(tool),
        }
    }

    /// Returns the only tool that the verb of a clause asks for although it has another one, if all its values are
    /// stated: "Sign up Ada for the 10k" for `register_runner`.
    fn by_request(
        &mut self,
        clause: &Range<usize>,
        rest: &Range<usize>,
    ) -> Result<Option<usize>, Unfinished> {
        let mut found = Vec::new();
        if contains(QUESTIONS, self.occurrences.form(rest.start - 1)) {
            return Ok(None);
        }
        for tool in self.asked(clause)?.into_keys() {
            if (self.is_pending)(tool) && self.is_filled(tool, rest)? {
                found.push(tool);
            }
        }
        Ok(found.pop().filter(|_| found.is_empty()))
    }

    /// Returns the index of the first word of a clause that is neither a conjunction nor part of an opening.
    pub(super) fn first_word(&self, clause: &Range<usize>) -> usize {
        let words = &self.sentence.words[clause.clone()];
        let is_joint = |word: &&Word| contains(JOINTS, self.sentence.form(word));
        let start = words.iter().take_while(is_joint).count();
        clause.start + start + find_beginning(&self.reading.text, &words[start..])
    }

    /// Returns the terms that a word is.
    pub(super) fn terms_of(&self, word: usize) -> Vec<Term> {
        self.occurrences.in_words(&(word..word + 1)).map(|it| it.term).collect()
    }

    /// Returns how many words must support a verb. Any question may ask for a number.
    fn needed_support(&self, verb: &str) -> usize {
        match is_calculation(verb) {
            true if self.index.tools.len() == 1 => usize::MAX,
            true => 2,
            false => 1,
        }
    }

    /// Returns the tool with the verb of a clause that the other words support, by its description or its
    /// schema, if no other is supported as much: "Order 80 liters of diesel".
    fn by_action(
        &mut self,
        tools: &[usize],
        rest: &Range<usize>,
        needed: usize,
    ) -> Result<Option<usize>, Unfinished> {
        if tools.is_empty() {
            return Ok(None);
        }
        let (described, stems, mut support) = (self.described(rest)?, self.stems(rest), Vec::new());
        for tool in tools {
            if !(self.is_pending)(*tool) {
                continue;
            }
            let known = self.schemas.says(*tool, self.budget, |it| it.stems())?;
            let listed = stems.iter().filter(|stem| known.contains(&***stem)).count();
            support.push((described.get(tool).copied().unwrap_or(0) + listed, *tool));
        }
        support.sort_unstable();
        if let [(0, tool)] = support.as_slice()
            && (self.leads_to_object(*tool, rest)? || self.is_filled(*tool, rest)?)
        {
            return Ok(Some(*tool));
        }
        Ok(match support.as_slice() {
            [.., (best, _)] if *best < needed => None,
            [] => None,
            [.., (next, _), (best, _)] if next == best => None,
            [.., (_, tool)] => Some(*tool),
        })
    }

    /// Returns `true` if some words begin with a rare value that a call of a tool should have: "Cancel BK-1187".
    fn leads_to_object(&mut self, tool: usize, rest: &Range<usize>) -> Result<bool, Unfinished> {
        // Facts cost more to find than signs of one.
        let may_be_rare = |it: char| it.is_ascii_digit() || "@'\"‘“".contains(it);
        let text = &self.reading.text[self.byte(rest.start)..self.byte(rest.end)];
        if !text.contains(may_be_rare) {
            return Ok(false);
        }
        let object = self.object(rest)?.filter(|of| RARE.contains(of));
        Ok(match object {
            Some(of) => self.schemas.says(tool, self.budget, |it| it.count_wanted(&[of]))? > 0,
            None => false,
        })
    }

    /// Returns the only tool that searches if a word asks for a search, and the next words have one of its
    /// description or schema and a value that a call should have ("Find a studio in Bristol" for
    /// `search_properties`), or if they start as such a request does and name such a value of an `enum`
    /// ("Do you have oak tables?").
    fn by_search(&mut self, word: &Word, rest: &Range<usize>) -> Result<Option<usize>, Unfinished> {
        let form = self.sentence.form(word);
        let is_search = contains(SEARCHES, &stem(form));
        let may_search = word.is_said() && (is_search || contains(OFFERS, form));
        let Some(tool) = self.index.search.filter(|tool| may_search && (self.is_pending)(*tool))
        else {
            return Ok(None);
        };
        let stems = self.stems(rest);
        if self.schemas.says(tool, self.budget, |it| it.has_choice(&stems))? {
            return Ok(Some(tool));
        }
        if !is_search {
            return Ok(None);
        }
        let facts = self.facts(self.byte(rest.start)..self.byte(rest.end))?;
        let types = facts.iter().map(|it| it.of).filter(|it| *it != FactType::Number);
        let types: Vec<_> = types.collect();
        match self.schemas.says(tool, self.budget, |it| it.count_wanted(&types))? {
            0 => Ok(None),
            _ => self.by_action(&[tool], rest, 1),
        }
    }

    /// Returns the tool whose name has no other noun than the verb of a clause, which leads to a value that
    /// the tool wants: "Invoice tom@example.com" asks for `send_invoice`.
    fn by_noun(
        &mut self,
        tools: &[usize],
        rest: &Range<usize>,
    ) -> Result<Option<usize>, Unfinished> {
        if tools.is_empty() {
            return Ok(None);
        }
        let object = self.object(rest)?.filter(|of| OBJECTS.contains(of));
        let Some(of) = object else { return Ok(None) };
        let mut found = Vec::new();
        for tool in tools {
            let is_noun = self.index.tools[*tool].name.len() == 1;
            if is_noun
                && (self.is_pending)(*tool)
                && self.schemas.says(*tool, self.budget, |it| it.takes_any(&[of]))?
            {
                found.push(*tool);
            }
        }
        Ok(found.pop().filter(|_| found.is_empty()))
    }

    /// Returns `true` if a clause is about a tool that was mentioned before: "If so, book it for two hours".
    pub(super) fn refers_back(&self, clause: &Range<usize>) -> bool {
        let is_pronoun = |word: &Word| contains(PRONOUNS, self.sentence.form(word));
        let mut pronouns = clause.clone().filter(|at| is_pronoun(&self.sentence.words[*at]));
        let Some(verb) = pronouns.next().and_then(|at| at.checked_sub(1)) else { return false };
        if verb != self.first_word(clause) {
            return false;
        }
        let verbs = self.terms_of(verb);
        let mut tools = verbs.iter().filter_map(|it| self.index.by_action.get(it)).flatten();
        tools.any(|tool| !(self.is_pending)(*tool))
    }

    /// Returns the type of the value that some words start with.
    fn object(&mut self, rest: &Range<usize>) -> Result<Option<FactType>, Unfinished> {
        let after = self.sentence.words[rest.start - 1].range().end;
        let facts = self.facts(after..self.byte(rest.end))?;
        let gap = |fact: &Fact| &self.reading.text[after..fact.range.start];
        let first =
            facts.first().filter(|it| canonical_words(gap(it)).iter().all(|it| is_generic(it)));
        Ok(first.map(|it| it.of))
    }

    /// Returns `true` if some words say more of a tool than what a value is, and a rare value that the tool
    /// wants: "Cow C-5 is sick" for `report_sickness`, but not for `milk_cow`.
    pub(super) fn has_value(
        &mut self,
        tool: usize,
        words: &Range<usize>,
    ) -> Result<bool, Unfinished> {
        let name = &self.index.tools[tool].name;
        let said = self.occurrences.in_words(words).filter(|it| name.contains(&it.term));
        let labels: Option<Vec<_>> = said.map(|it| self.occurrences.label(it.last)).collect();
        let labels = labels.unwrap_or_default();
        if labels.iter().any(|label| label.starts_statement) {
            return Ok(false);
        }
        let facts = self.facts(self.byte(words.start)..self.byte(words.end))?;
        let is_other = |of: &FactType| !labels.iter().any(|label| label.types.contains(of));
        let types: Vec<_> =
            facts.iter().map(|it| it.of).filter(|of| RARE.contains(of)).filter(is_other).collect();
        Ok(!types.is_empty() && self.schemas.says(tool, self.budget, |it| it.takes_any(&types))?)
    }

    /// Returns `true` if some words state all values that a call of a tool should have.
    pub(super) fn is_filled(
        &mut self,
        tool: usize,
        words: &Range<usize>,
    ) -> Result<bool, Unfinished> {
        self.budget.spend(words.len() + MAX_VALUES)?;
        let (facts, stems) = self.said(words)?;
        let facts = &facts[..facts.len().min(MAX_VALUES)];
        self.schemas.says(tool, self.budget, |it| it.is_filled(facts, &stems))
    }

    /// Returns `true` if some words ask for a tool, or say that somebody wants what only this tool has a noun for,
    /// and have two values that it wants: "Can I get an appointment for Oscar on 4 May?" for `book_appointment`.
    pub(super) fn is_wished(
        &mut self,
        tool: usize,
        words: &Range<usize>,
        is_asked: bool,
    ) -> Result<bool, Unfinished> {
        if self.wish(words).is_none() && !is_asked {
            return Ok(false);
        }
        let name = &self.index.tools[tool].name;
        let said = self.occurrences.in_words(words).filter(|it| name.contains(&it.term));
        let mut tools = said.filter_map(|it| self.index.by_name.get(&it.term));
        if tools.any(|tools| tools.len() > 1) {
            return Ok(false);
        }
        let facts = self.facts(self.byte(words.start)..self.byte(words.end))?;
        let types: Vec<_> = facts.iter().map(|it| it.of).collect();
        Ok(self.schemas.says(tool, self.budget, |it| it.count_wanted(&types))? > 1)
    }

    /// Returns the position of the verb of a wish.
    pub(super) fn wish(&self, words: &Range<usize>) -> Option<usize> {
        let form = |at: usize| self.sentence.form(&self.sentence.words[at]);
        let mut start = words.start..words.end.min(words.start + MAX_WISH);
        let is_question = contains(QUESTIONS, form(words.start));
        start.find(|at| contains(WISH_VERBS, form(*at))).filter(|_| !is_question)
    }

    /// Returns `true` if some words begin with a noun of a tool and state one of its properties ("Repair the
    /// bike, the problem is a bent wheel" for `create_repair_order`) or have two words of its schema.
    pub(super) fn is_described(
        &mut self,
        tool: usize,
        words: &Range<usize>,
    ) -> Result<bool, Unfinished> {
        let (name, first) = (&self.index.tools[tool].name, self.first_word(words));
        if !self.terms_of(first).iter().any(|it| name.contains(it)) {
            return Ok(false);
        }
        let known = self.schemas.says(tool, self.budget, |it| it.stems())?;
        let listed =
            self.stems(&(first + 1..words.end)).into_iter().filter(|it| known.contains(&**it));
        let form = |word: &Word| self.sentence.form(word);
        let pairs = self.sentence.words[words.clone()].windows(2);
        let mut stated = pairs.filter(|pair| form(&pair[1]) == "is" && pair[0].is_said());
        Ok(listed.count() > 1 || stated.any(|pair| known.contains(&*stem(form(&pair[0])))))
    }

    /// Returns where a word starts, or the end of the sentence.
    pub(super) fn byte(&self, word: usize) -> usize {
        let word = self.sentence.words.get(word);
        word.map_or(self.sentence.range.end, |word| word.range().start)
    }

    /// Returns the facts in a range of the message.
    pub(super) fn facts(&mut self, range: Range<usize>) -> Result<&'s [Rc<Fact>], Unfinished> {
        self.budget.spend(range.len() / TEXT_PART)?;
        let facts = self.reading.facts();
        let [start, end] =
            [range.start, range.end].map(|at| facts.partition_point(|it| it.range.start < at));
        Ok(&facts[start..end])
    }

    /// Returns the facts and the stems of some words.
    pub(super) fn said(&mut self, words: &Range<usize>) -> Result<Values<'s>, Unfinished> {
        let facts = self.facts(self.byte(words.start)..self.byte(words.end))?;
        Ok((facts, self.stems(words)))
    }

    /// Returns the distinct stems of the telling words among some words.
    pub(super) fn stems(&self, words: &Range<usize>) -> Vec<Cow<'s, str>> {
        let sentence = self.sentence;
        let form = |word| sentence.form(word);
        let said = sentence.words[words.clone()].iter().filter(|word| word.is_said());
        let mut stems: Vec<_> = said.map(form).filter(|it| is_telling(it)).map(stem).collect();
        stems.sort_unstable();
        stems.dedup();
        stems
    }
}
