//! What a clause asks for by a verb that its tool does not have, and which single words of other tools it
//! means then.

use std::{collections::BTreeMap, ops::Range};

use super::{matches::Mentioned, partial::Search};
use crate::{
    arguments::Described,
    effort::Unfinished,
    text::{
        lexicon::{ADJECTIVES, CHANGE_VERBS, contains, is_telling},
        stem,
    },
};

impl<P: Fn(usize) -> bool> Search<'_, P> {
    /// Returns the tool that a clause asks for although a single word of it mentions another: "Open a ticket"
    /// and "Set ticket INC-5 to resolved" beside `search_tickets`, or "a training session" beside
    /// `find_trainers`.
    pub(super) fn rival(
        &mut self,
        clause: &Range<usize>,
        known: &Mentioned,
    ) -> Result<Option<usize>, Unfinished> {
        let is_single = known.words[0] == known.words[1];
        if !is_single || !["topic", "verb"].contains(&known.rule) {
            return Ok(None);
        }
        let Some(tool) = self.best(clause.clone())? else { return Ok(None) };
        let has_noun = self.has_noun(tool, known.at..known.at + 1);
        let first = self.first_word(clause);
        let is_asked = self.asked(clause)?.contains_key(&tool);
        // "Return the chair of order 5" is not about `get_order`.
        let is_label = known.at > first && self.occurrences.label(known.at).is_some();
        Ok(Some(tool).filter(|_| match has_noun {
            true => is_asked || self.is_in_pair(tool, known),
            false if known.rule == "verb" => is_asked,
            false => is_label && (is_asked || self.has_noun(tool, first..first + 1)),
        }))
    }

    /// Returns `true` if a noun of another tool stands beside a word that is one of its nouns too: "training"
    /// beside "session".
    fn is_in_pair(&self, tool: usize, known: &Mentioned) -> bool {
        let (at, count) = (known.at, self.sentence.words.len());
        let is_same = self.index.is_word(known.tool, self.occurrences.form(at));
        !is_same
            && (self.has_noun(tool, at + 1..count.min(at + 2))
                || self.has_noun(tool, at.saturating_sub(1)..at))
    }

    /// Returns `true` if one of some words is a noun of a tool.
    fn has_noun(&self, tool: usize, words: Range<usize>) -> bool {
        let name = &self.index.tools[tool].name;
        self.occurrences.in_words(&words).any(|it| name.contains(&it.term))
    }

    /// Returns the tools that the verb at the beginning of some words asks for, although they have another
    /// one, each with the particle of the verb.
    pub(super) fn asked(
        &mut self,
        words: &Range<usize>,
    ) -> Result<BTreeMap<usize, Option<&'static str>>, Unfinished> {
        let (first, index) = (self.first_word(words), self.index);
        let mut asked = BTreeMap::new();
        let starts = [Some(first), self.new_thing(words)].into_iter().flatten();
        // Nothing may stand behind the opening of a clause.
        for at in starts.filter(|at| *at < words.end) {
            for term in self.terms_of(at) {
                for (tool, particle) in index.by_request.get(&term).into_iter().flatten() {
                    self.budget.spend(words.len())?;
                    let mut rest = self.sentence.words[at + 1..words.end].iter();
                    if particle.is_none_or(|it| rest.any(|word| self.sentence.form(word) == it))
                        && self.may_ask(*tool, at, words)
                    {
                        asked.insert(*tool, *particle);
                    }
                }
            }
        }
        for tool in &index.changes {
            if self.is_change(*tool, first..words.end)? {
                asked.insert(*tool, None);
            }
        }
        Ok(asked)
    }

    /// Returns the position of "new" in a wish: "I need a new ticket".
    fn new_thing(&self, words: &Range<usize>) -> Option<usize> {
        let verb = self.wish(words)?;
        let mut start = verb + 1..words.end.min(verb + 4);
        start.find(|at| self.occurrences.form(*at) == "new")
    }

    /// Returns `true` unless a word may be the adjective of several things: "Open tickets of Ann".
    fn may_ask(&self, tool: usize, at: usize, words: &Range<usize>) -> bool {
        let name = &self.index.tools[tool].name;
        let is_plural =
            |at: usize| self.reading.text[self.sentence.words[at].range()].ends_with('s');
        let rest = at + 1..words.end;
        let mut nouns = self.occurrences.in_words(&rest);
        !contains(ADJECTIVES, self.occurrences.form(at))
            || nouns.any(|it| name.contains(&it.term) && !is_plural(it.last))
    }

    /// Returns `true` if some words ask a tool that changes something to do so, by what its schema lists: "Close
    /// ticket INC-5" (`closed`), "Assign it" (`assignee`), "Set ticket INC-5 to resolved".
    fn is_change(&mut self, tool: usize, words: Range<usize>) -> Result<bool, Unfinished> {
        self.budget.spend(words.len())?;
        if !self.has_noun(tool, words.clone()) {
            return Ok(false);
        }
        let verb = self.occurrences.form(words.start);
        let known = self.schemas.says(tool, self.budget, |it| it.stems())?;
        if contains(CHANGE_VERBS, verb) {
            let is_other = |at: &usize| !self.has_noun(tool, *at..at + 1);
            let mut others = (words.start + 1..words.end).filter(is_other);
            return Ok(others.any(|at| known.contains(&*stem(self.occurrences.form(at)))));
        }
        let verb = stem(verb);
        let is_of_verb = |it: &String| *it == verb || it.strip_suffix('e') == Some(&verb);
        Ok(is_telling(&verb) && !contains(ADJECTIVES, &verb) && known.iter().any(is_of_verb))
    }

    /// Returns `true` if a clause says what a call of a tool that was mentioned should do besides, or a value of it:
    /// "Cancel the booking and notify the players" (`notify_players`), ", policy number P-7" (`policy_number`).
    pub(super) fn is_flag<'m>(
        &mut self,
        clause: &Range<usize>,
        mentioned: impl Iterator<Item = &'m Mentioned>,
    ) -> Result<bool, Unfinished> {
        let mut mentioned = mentioned.peekable();
        if mentioned.peek().is_none() {
            return Ok(false);
        }
        let words = self.first_word(clause)..clause.end;
        let (stems, start) = (self.stems(&words), words.start);
        let forms: Vec<_> = words.map(|at| self.occurrences.form(at)).collect();
        let is_label = forms.len() > 2 && self.occurrences.label(start + 1).is_some();
        let label = is_label.then(|| &forms[..2]);
        mentioned.try_fold(false, |found, it| {
            let says = |it: &Described| {
                it.has_flag(&stems) || label.is_some_and(|label| it.has_name(label))
            };
            Ok(found || self.schemas.says(it.tool, self.budget, says)?)
        })
    }
}
