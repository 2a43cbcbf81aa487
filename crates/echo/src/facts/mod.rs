//! Reads a message once: its sentences, as far as they are needed, and its facts: addresses, dates,
//! amounts, names, …
//!
//! [`atoms`] finds facts that have a form of their own, such as dates, and [`names`] those that
//! consist of words. [`cues`] finds the words that say what a fact is for. [`kinds`] is the table of
//! what the properties of tools take; [`meaning`] finds a property's row.

mod atoms;
mod cues;
mod dates;
mod kinds;
mod lead;
mod meaning;
mod names;
#[cfg(test)]
mod tests;

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    ops::Range,
    rc::Rc,
};

use memchr::memmem::Finder;

use super::text::{self, Address, AddressKind, Sentence, Word};
use cues::{Cues, bound_after};

pub(crate) use atoms::compile;
pub(crate) use dates::{SHORT_MONTHS, date};
pub(crate) use kinds::Kind;
pub(crate) use meaning::{Meaning, Role, meaning_of};

/// Maximum number of bytes of a message in which facts are found.
const MAX_READ: usize = 64 * 1024;
/// Maximum number of facts in a message. Properties compare facts with each other.
const MAX_FACTS: usize = 1_000;

/// The type of a [`Fact`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactType {
    Email,
    Url,
    /// The name of a file.
    File,
    Uuid,
    Ip,
    Phone,
    Date,
    /// A day that needs a clock, such as "tomorrow".
    RelativeDate,
    /// A month of a year, for a property that is a month.
    Month,
    /// A time of day.
    Time,
    Money,
    /// A percentage.
    Share,
    Number,
    /// A token with a digit.
    Code,
    /// Lower-case words joined by hyphens or underscores.
    Identifier,
    Currency,
    Language,
    /// Two to five capital letters.
    Capitals,
    /// Capitalized words.
    Name,
    /// A lower-case word that may be a place.
    Word,
    /// A value that a property lists.
    Choice,
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
    /// The indexes of the words that lead to the fact, once they are needed.
    lead: OnceCell<Range<usize>>,
    pub(crate) ends_sentence: bool,
    /// Whether only "and", "or" or a comma stands between the previous fact of this type and this.
    pub(crate) continues_list: bool,
}

/// The words before and after a fact, by their indexes.
type Beside = [Option<usize>; 2];

/// A message that is read once.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) text: String,
    quotes: OnceCell<Vec<Range<usize>>>,
    /// The sentences that have been read, by their starts.
    sentences: RefCell<BTreeMap<usize, Rc<Sentence>>>,
    facts: OnceCell<Facts>,
}

/// The facts of a message, in order, and the sentences that they are in.
struct Facts {
    sentences: Vec<(Rc<Sentence>, Cues)>,
    facts: Vec<Rc<Fact>>,
}

/// A fact without its context.
type Bare = (FactType, Range<usize>, String);

impl Reading {
    pub(crate) fn new(message: &str) -> Self {
        Self { text: message.to_owned(), ..Self::default() }
    }

    /// Returns the sentence in a range of the text.
    pub(crate) fn sentence(&self, range: Range<usize>) -> Rc<Sentence> {
        let mut sentences = self.sentences.borrow_mut();
        if let Some(read) = sentences.get(&range.start).filter(|read| read.range == range) {
            return Rc::clone(read);
        }
        let quotes = self.quotes.get_or_init(|| text::quotes(&self.text));
        let read = Rc::new(Sentence::read(&self.text, range, quotes));
        sentences.insert(read.range.start, Rc::clone(&read));
        read
    }

    /// Returns `true` if the facts of the message have been found.
    pub(crate) fn has_facts(&self) -> bool {
        self.facts.get().is_some()
    }

    /// Returns the facts of the message, or of the start of a long message.
    pub(crate) fn facts(&self) -> &[Rc<Fact>] {
        &self.read().facts
    }

    fn read(&self) -> &Facts {
        self.facts.get_or_init(|| {
            let mut read = Facts { sentences: Vec::new(), facts: Vec::new() };
            let source = &self.text[..self.text.floor_char_boundary(MAX_READ)];
            for range in text::sentences(source) {
                let sentence = self.sentence(range);
                let cues = Cues::find(&self.text, &sentence);
                if read.facts.len() < MAX_FACTS {
                    let quotes = self.quotes.get().map_or(&[][..], Vec::as_slice);
                    let found = find(&self.text, &sentence, quotes);
                    read.facts.extend(with_surroundings(&self.text, &sentence, &cues, found));
                }
                read.sentences.push((sentence, cues));
            }
            read.facts.truncate(MAX_FACTS);
            read
        })
    }

    /// Returns the sentence at a position in the text, and its cues.
    fn part(&self, at: usize) -> Option<&(Rc<Sentence>, Cues)> {
        let sentences = &self.read().sentences;
        sentences.get(sentences.partition_point(|(sentence, _)| sentence.range.end <= at))
    }

    /// Returns where canonical words stand side by side outside of quotes, each with whether they
    /// are negated.
    pub(crate) fn find(&self, forms: &[String]) -> Vec<(Range<usize>, bool)> {
        if forms.is_empty() {
            return Vec::new();
        }
        let sequence = forms.concat();
        let sequence = Finder::new(&sequence);
        let sentences = self.read().sentences.iter().map(|(sentence, _)| sentence);
        sentences
            .filter(|sentence| sentence.may_have(&sequence))
            .flat_map(|sentence| sentence.find(&self.text, forms))
            .take(MAX_FACTS)
            .collect()
    }

    /// Returns where the words end whose canonical forms are suitable.
    pub(crate) fn ends_of(&self, is_suitable: impl Fn(&str) -> bool) -> Vec<usize> {
        let sentences = self.read().sentences.iter().map(|(sentence, _)| sentence);
        let ends = sentences.flat_map(|sentence| {
            let is_found = |it: &&Word| it.is_said() && is_suitable(sentence.form(it));
            sentence.words.iter().filter(is_found).map(|word| word.range().end)
        });
        ends.take(MAX_FACTS).collect()
    }

    /// Returns where canonical words stand first, with few words between: "notify the owner".
    pub(crate) fn find_apart(
        &self,
        forms: &[String],
        max_gap: usize,
    ) -> Option<(Range<usize>, bool)> {
        self.read().sentences.iter().find_map(|(sentence, _)| sentence.find_apart(forms, max_gap))
    }

    /// Adds the context of a part of the message.
    pub(crate) fn fact(&self, of: FactType, range: Range<usize>, value: String) -> Fact {
        let part = self.part(range.start);
        fact(part.map(|(sentence, cues)| (&**sentence, cues)), (of, range, value))
    }

    /// Makes a fact of words that are none by their form.
    pub(crate) fn phrase(&self, range: Range<usize>) -> Fact {
        let value = self.text[range.clone()].to_owned();
        self.fact(FactType::Code, range, value)
    }

    /// Returns the first fact of the message that overlaps a part of it.
    pub(crate) fn fact_in(&self, range: &Range<usize>) -> Option<&Fact> {
        let facts = self.facts();
        let next = facts.get(facts.partition_point(|fact| fact.range.end <= range.start));
        next.map(|fact| &**fact).filter(|fact| fact.range.start < range.end)
    }

    /// Returns the canonical form of the word at a position, that of the whole identifier for a part of one.
    pub(crate) fn whole_form(&self, at: usize) -> &str {
        let Some((sentence, _)) = self.part(at) else { return "" };
        sentence.whole_form(sentence.word_from(at))
    }

    /// Returns `true` for an identifier without a noun behind it.
    pub(crate) fn is_alone(&self, fact: &Fact) -> bool {
        let start = fact.range.start;
        self.part(start).is_some_and(|(sentence, _)| {
            sentence.words.get(sentence.word_from(start)).is_some_and(|word| word.is_part)
        })
    }

    /// Returns the bytes of a fact, those of an amount with its currency: "20,000 dollars".
    fn with_currency(&self, fact: &Fact) -> Range<usize> {
        let rest = fact.range.end..fact.range.end + 2;
        let next = (fact.of == FactType::Money).then(|| self.fact_in(&rest)).flatten();
        let currency = next.filter(|it| it.of == FactType::Currency);
        fact.range.start..currency.map_or(fact.range.end, |it| it.range.end)
    }

    /// Returns the canonical words before and after a fact.
    pub(crate) fn beside(&self, fact: &Fact) -> [Option<&str>; 2] {
        let Some((sentence, _)) = self.part(fact.range.start) else { return [None; 2] };
        let beside =
            fact.beside.get_or_init(|| sentence.beside(&self.text, &self.with_currency(fact)));
        beside.map(|index| index.map(|index| sentence.whole_form(index)))
    }
}

/// Returns the facts of a sentence, in order.
fn find(text: &str, sentence: &Sentence, quotes: &[Range<usize>]) -> Vec<Bare> {
    let value = |range: &Range<usize>| text[range.clone()].to_owned();
    let mut found: Vec<Bare> = Vec::new();
    let is_around =
        |it: &Address, at: usize| it.kind != AddressKind::File && it.range.contains(&at);
    let in_address = |at: usize| sentence.addresses.iter().any(|it| is_around(it, at));
    let first = quotes.partition_point(|quote| quote.end <= sentence.range.start);
    let quotes = quotes[first..].iter().take_while(|quote| quote.start < sentence.range.end);
    let is_quote =
        |it: &&Range<usize>| !in_address(it.start) && !text[(*it).clone()].trim().is_empty();
    let quotes: Vec<_> = quotes.filter(is_quote).collect();
    let own = quotes.iter().filter(|quote| quote.start >= sentence.range.start);
    found.extend(own.map(|it| (FactType::Quote, (*it).clone(), value(it))));
    for address in &sentence.addresses {
        let of = match address.kind {
            AddressKind::Email => FactType::Email,
            AddressKind::Url => FactType::Url,
            AddressKind::File => FactType::File,
        };
        if !quotes.iter().any(|quote| quote.contains(&address.range.start)) {
            found.push((of, address.range.clone(), value(&address.range)));
        }
    }
    let sort = |found: &mut Vec<Bare>| found.sort_by_key(|(_, range, _)| range.start);
    sort(&mut found);
    let before = quotes.first().filter(|quote| quote.start < sentence.range.start);
    let start = before.map_or(sentence.range.start, |quote| quote.end);
    atoms::find(text, sentence, start, &mut found);
    sort(&mut found);
    names::find(text, sentence, &mut found);
    sort(&mut found);
    found
}

/// Adds their context to the facts of a sentence.
fn with_surroundings(
    source: &str,
    sentence: &Sentence,
    cues: &Cues,
    found: Vec<Bare>,
) -> Vec<Rc<Fact>> {
    let mut facts: Vec<Fact> = Vec::new();
    for bare in found {
        let mut fact = fact(Some((sentence, cues)), bare);
        fact.cue = bound_after(&source[fact.range.end..]).or(fact.cue);
        if facts.last().is_some_and(|place| cues.is_for_place(place, &fact, sentence)) {
            fact.cue = None;
        }
        let previous = facts.last().filter(|it| it.of == fact.of);
        fact.continues_list = previous.is_some_and(|previous| {
            let gap = source.get(previous.range.end..fact.range.start).unwrap_or("x");
            let is_quote = |c: char| "\"'`”’»“‘«".contains(c);
            let joint = gap.trim_matches(is_quote).trim().trim_matches(is_quote);
            let joint = joint.trim_start_matches(',').trim();
            // "Kino Aurora and the Grand Rex"
            let joint =
                joint.strip_suffix(" the").filter(|_| fact.of == FactType::Name).unwrap_or(joint);
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

fn fact(part: Option<(&Sentence, &Cues)>, (of, range, value): Bare) -> Fact {
    Fact {
        cue: part.and_then(|(sentence, cues)| cues.before(&range, sentence)),
        beside: OnceCell::new(),
        lead: OnceCell::new(),
        ends_sentence: part.is_some_and(|(sentence, _)| sentence.ends_at(range.end)),
        continues_list: false,
        of,
        range,
        value,
    }
}
