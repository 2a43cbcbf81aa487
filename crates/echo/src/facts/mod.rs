//! Reads a message once into typed facts: addresses, dates, amounts, names, …
//!
//! [`words`] splits the message. [`atoms`] finds facts that have a form of their own, such as dates,
//! and [`names`] those that consist of words. [`cues`] finds the words that say what a fact is for.
//! [`kinds`] is the table of what the properties of tools take; [`meaning`] finds a property's row.

mod atoms;
mod cues;
mod dates;
mod kinds;
mod lexicon;
mod meaning;
mod names;
#[cfg(test)]
mod tests;
mod words;

use std::{cell::OnceCell, ops::Range, rc::Rc};

use super::text::{self, AddressKind};
use cues::Cues;
use words::Words;

pub(crate) use cues::{contains, is_exclusive};
pub(crate) use kinds::Kind;
pub(crate) use meaning::{Meaning, Role, meaning_of};

/// Maximum number of bytes of a message that are read.
const MAX_READ: usize = 64 * 1024;
/// Maximum number of facts in a message. Properties compare facts with each other.
const MAX_FACTS: usize = 1_000;

/// Maximum number of facts in a row on each side of a fact.
const MAX_ROW: usize = 16;

/// Maximum number of letters between the items of a list.
const MAX_JOINT: usize = 3;

/// The type of a [`Fact`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactType {
    Email,
    Url,
    Uuid,
    Ip,
    Phone,
    Date,
    /// A day that needs a clock, such as "tomorrow".
    RelativeDate,
    /// A time of day.
    Time,
    Money,
    /// A percentage.
    Share,
    Number,
    /// A token with a digit.
    Code,
    Currency,
    Language,
    /// Two to five capital letters.
    Capitals,
    /// Capitalized words.
    Name,
    /// A lower-case word that may be a place.
    Word,
    Quote,
    Expression,
}

/// Something that a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) of: FactType,
    /// The bytes that the fact takes in the message.
    pub(crate) range: Range<usize>,
    /// The value: as written, or in a standard form, such as `2025-06-01`, `09:30`, `45.6`, `EUR`.
    pub(crate) value: String,
    /// The last cue before the fact.
    pub(crate) cue: Option<&'static str>,
    /// The canonical words before and after the fact, once they are needed.
    beside: OnceCell<Beside>,
    pub(crate) ends_sentence: bool,
    /// Whether only "and", "or" or a comma stands between the previous fact of this type and this.
    pub(crate) continues_list: bool,
}

/// The words before and after a fact, by their indexes.
type Beside = [Option<usize>; 2];

/// A message and its facts, in order.
pub(crate) struct Reading {
    pub(crate) text: String,
    words: Words,
    cues: Cues,
    pub(crate) facts: Vec<Rc<Fact>>,
}

/// A fact without its context.
type Bare = (FactType, Range<usize>, String);

impl Reading {
    /// Returns `true` if this is the reading of a message.
    pub(crate) fn is_of(&self, message: &str) -> bool {
        self.text == start_of(message)
    }

    /// Reads a message, or the start of a long message.
    pub(crate) fn new(message: &str) -> Self {
        let source = start_of(message);
        let addresses = text::addresses(source);
        let in_address = |at: usize| addresses.iter().any(|it| it.range.contains(&at));
        let mut quotes = text::quotes(source);
        quotes.retain(|quote| !in_address(quote.start) && !source[quote.clone()].trim().is_empty());
        let is_quoted = |at: usize| {
            let next = quotes.partition_point(|quote| quote.end <= at);
            quotes.get(next).is_some_and(|quote| quote.start <= at)
        };
        let mut found: Vec<Bare> = Vec::new();
        for address in &addresses {
            let of = match address.kind {
                AddressKind::Email => FactType::Email,
                AddressKind::Url => FactType::Url,
            };
            if !is_quoted(address.range.start) {
                found.push((of, address.range.clone(), source[address.range.clone()].to_owned()));
            }
        }
        found.extend(
            quotes.iter().map(|it| (FactType::Quote, it.clone(), source[it.clone()].to_owned())),
        );
        found.sort_by_key(|(_, range, _)| range.start);
        let excluded: Vec<Range<usize>> = found.iter().map(|(_, range, _)| range.clone()).collect();
        let words = Words::new(source, &excluded);
        atoms::find(source, &words, &excluded, &mut found);
        found.sort_by_key(|(_, range, _)| range.start);
        names::find(source, &words, &mut found);
        found.sort_by_key(|(_, range, _)| range.start);
        found.truncate(MAX_FACTS);
        let cues = Cues::find(source, &words);
        let facts = with_surroundings(source, &words, &cues, found);
        Self { text: source.to_owned(), words, cues, facts }
    }

    /// Returns where canonical words stand side by side outside of quotes, each with whether they
    /// are negated.
    pub(crate) fn find(&self, forms: &[String]) -> Vec<(Range<usize>, bool)> {
        let range = |index: usize| {
            let last = &self.words[index + forms.len() - 1];
            self.words[index].range().start..last.range().end
        };
        let found = self.words.find(forms).into_iter().take(MAX_FACTS);
        found.map(|index| (range(index), self.words.is_negated(&self.text, index))).collect()
    }

    /// Adds the context of a part of the message.
    pub(crate) fn fact(&self, of: FactType, range: Range<usize>, value: String) -> Fact {
        fact(&self.words, &self.cues, (of, range, value))
    }

    /// Returns the canonical words before and after the row of facts of one type to which a fact
    /// belongs. Between the facts of a row stands one word each: "width 800 height 600".
    pub(crate) fn beside_row(&self, fact: &Fact) -> [Option<&str>; 2] {
        let index = self.facts.partition_point(|it| it.range.start < fact.range.start);
        let is_same = |other: &&Rc<Fact>| other.of == fact.of;
        let [mut first, mut last] = self.beside(fact);
        for previous in self.facts[..index].iter().rev().filter(is_same).take(MAX_ROW) {
            match self.beside(previous) {
                [before, after] if after.is_some() && after == first => first = before,
                _ => break,
            }
        }
        for next in self.facts[index..].iter().filter(is_same).skip(1).take(MAX_ROW) {
            match self.beside(next) {
                [before, after] if before.is_some() && before == last => last = after,
                _ => break,
            }
        }
        [first, last]
    }

    /// Returns the canonical words before and after a fact.
    pub(crate) fn beside(&self, fact: &Fact) -> [Option<&str>; 2] {
        let beside = fact.beside.get_or_init(|| self.words.beside(&self.text, &fact.range));
        beside.map(|index| index.map(|index| self.words.form(&self.words[index])))
    }
}

/// Returns the part of a message that is read.
fn start_of(message: &str) -> &str {
    &message[..message.floor_char_boundary(MAX_READ)]
}

fn with_surroundings(source: &str, words: &Words, cues: &Cues, found: Vec<Bare>) -> Vec<Rc<Fact>> {
    let mut facts: Vec<Fact> = Vec::new();
    for bare in found {
        let mut fact = fact(words, cues, bare);
        if facts.last().is_some_and(|place| cues.is_for_place(place, &fact, words)) {
            fact.cue = None;
        }
        let previous = facts.iter().rev().take(3).find(|it| it.of == fact.of);
        fact.continues_list = previous.is_some_and(|previous| {
            let gap = source.get(previous.range.end..fact.range.start).unwrap_or("x");
            if gap.bytes().filter(u8::is_ascii_alphabetic).nth(MAX_JOINT).is_some() {
                return false;
            }
            let is_quote = |c: char| "\"'`”’»“‘«".contains(c);
            let joint = gap.trim_matches(is_quote).trim().trim_matches(is_quote);
            let joint = joint.trim_start_matches(',').trim();
            !gap.contains(['\n', '.']) && ["", "and", "or", "&"].contains(&joint)
        });
        facts.push(fact);
    }
    // If a sentence ends with a list, all items of the list end it.
    for next in (1..facts.len()).rev() {
        if facts[next].continues_list
            && facts[next].ends_sentence
            && facts[next - 1].of == facts[next].of
        {
            facts[next - 1].ends_sentence = true;
        }
    }
    facts.into_iter().map(Rc::new).collect()
}

fn fact(words: &Words, cues: &Cues, (of, range, value): Bare) -> Fact {
    Fact {
        cue: cues.before(&range, words),
        beside: OnceCell::new(),
        ends_sentence: words.ends_sentence(range.end),
        continues_list: false,
        of,
        range,
        value,
    }
}
