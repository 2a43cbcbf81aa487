//! The rule that gives words without a fact to the only text that must be there.

use std::{ops::Range, rc::Rc, sync::LazyLock};

use regex::Regex;

use super::{
    phrases::phrases,
    property::{Offer, Property},
    search::Search,
};
use crate::{
    facts::{Fact, Reading, compile},
    text::{
        canonical,
        lexicon::{CLAUSE_WORDS, PHRASE_ENDS, contains},
        words,
    },
};

/// Maximum number of bytes of a message in which words are looked for.
const MAX_BYTES: usize = 2048;
/// Maximum number of bytes of a clause that is a value.
const MAX_CLAUSE: usize = 120;

impl Search<'_, '_> {
    /// The words behind a colon, behind "with", or behind the verb of the request, for the only text or the
    /// only list of texts that must be there: "Rent skis and boots for 5 days".
    pub(super) fn words_left(&self) -> Vec<Offer> {
        let property = self.property;
        let is_rival = |it: &Property| it.waits_for_words() && (it.is_array || !property.is_array);
        if !property.waits_for_words() || self.others().any(is_rival) {
            return Vec::new();
        }
        if let Some(told) = self.clause_told() {
            return vec![offer(told)];
        }
        let starts = self.phrase_starts().into_iter();
        let mut lists = starts.map(|start| self.phrases_left(start));
        let found = lists.find(|list| !list.is_empty());
        found.unwrap_or_else(|| self.clause_left().map(offer).into_iter().collect())
    }

    /// Returns the clause between a colon and the end of the sentence, if it has no facts: "Report a problem:
    /// the door is jammed".
    fn clause_left(&self) -> Option<Fact> {
        let (reading, property) = (self.scope.reading, self.property);
        let text = reading.text.get(self.scope.range.clone()).filter(|_| !property.is_array)?;
        let (lead, rest) = text.split_once(": ")?;
        let rest = rest.split(['.', ';', '?', '!', '\n', ':']).next().unwrap_or(rest).trim_end();
        let first = rest.split(' ').next().unwrap_or(rest).to_lowercase();
        let starts_otherwise = contains(CLAUSE_WORDS, &first) || contains(PHRASE_ENDS, &first);
        let start = self.scope.range.start + lead.len() + ": ".len();
        let range = start..start + rest.len();
        let fits = !starts_otherwise && (1..MAX_CLAUSE).contains(&rest.len());
        (fits && reading.fact_in(&range).is_none()).then(|| reading.phrase(range))
    }

    /// Returns the clause behind a verb of telling and "that", whatever facts it has: "Report that the heating
    /// in room 7 is broken".
    fn clause_told(&self) -> Option<Fact> {
        let (reading, range) = (self.scope.reading, &self.scope.range);
        let text = reading.text.get(range.clone()).filter(|_| !self.property.is_array)?;
        let told = TOLD.captures(text)?.get(1).filter(|it| it.len() < MAX_CLAUSE)?;
        Some(reading.phrase(range.start + told.start()..range.start + told.end()))
    }

    /// Returns where phrases may start, best first.
    fn phrase_starts(&self) -> Vec<usize> {
        let reading = self.scope.reading;
        let Range { start, end } = self.scope.range;
        let text =
            &reading.text[start..end.min(reading.text.floor_char_boundary(start + MAX_BYTES))];
        let behind =
            |mark: &'static str| text.match_indices(mark).map(move |(at, _)| at + mark.len());
        let is_tool = |word: &Range<usize>| self.is_of_tool(&canonical(&text[word.clone()]));
        let mut starts: Vec<usize> = behind(": ").collect();
        if self.property.is_array {
            starts.extend(words(text).map(|it| it.range).filter(is_tool).map(|it| it.end));
            // The clause of a further call: "and a salad for table 5"
            starts.extend(text.starts_with(" and ").then_some(" and ".len()));
            starts.extend(behind(" with "));
        } else {
            starts.splice(0..0, [" with ", " has "].into_iter().flat_map(behind));
        }
        starts.into_iter().map(|at| start + at).collect()
    }

    /// Returns the phrases of the list that starts at `start`, if they are not words of the tool or the
    /// property.
    fn phrases_left(&self, start: usize) -> Vec<Offer> {
        let reading = self.scope.reading;
        let items = phrases(reading, start..self.scope.range.end);
        let is_known = |word: &String| {
            self.tool.contains(word) || self.properties.iter().any(|it| it.has_word(word))
        };
        let has_own = |item: &Range<usize>| {
            let text = &reading.text[item.clone()];
            words(text).any(|it| is_known(&canonical(&text[it.range])))
        };
        if items.first().is_some_and(has_own) {
            return Vec::new();
        }
        let facts = items.into_iter().map_while(|item| self.phrase_left(item));
        // "with milk and eggs", but not "with pickup on Monday"
        let min = if reading.text[..start].ends_with(" with ") { 2 } else { 1 };
        if !self.property.is_array {
            return whole(reading, facts).map(offer).into_iter().collect();
        }
        let offers: Vec<_> = facts.map(offer).collect();
        if offers.len() < min { Vec::new() } else { offers }
    }

    /// Returns a phrase without a number that another property has taken.
    fn phrase_left(&self, item: Range<usize>) -> Option<Fact> {
        let reading = self.scope.reading;
        let text = &reading.text[item.clone()];
        let behind_number = text.split_once(' ').map(|(number, _)| item.start + number.len() + 1);
        let starts = [Some(item.start), behind_number];
        let mut facts = starts.into_iter().flatten().map(|start| reading.phrase(start..item.end));
        facts.find(|it| self.scope.is_free(it))
    }
}

/// A verb of telling, to whom, and the clause behind "that".
static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(?i:report|note|write|say|saying|mention|remind|tell|inform)(?: (?:to|me|us|him|her|them|\p{Lu}[\w'-]*|\S+@\S+)){0,2} that ([^,;!?\n]+[^,;!?\n.])",
    )
});

/// Joins phrases with "and" between them.
pub(super) fn whole(reading: &Reading, phrases: impl IntoIterator<Item = Fact>) -> Option<Fact> {
    let mut phrases = phrases.into_iter();
    let first = phrases.next()?;
    let mut end = first.range.end;
    for next in phrases {
        if !reading.text[end..next.range.start].starts_with(" and ") {
            break;
        }
        end = next.range.end;
    }
    Some(reading.phrase(first.range.start..end))
}

fn offer(fact: Fact) -> Offer {
    Offer { fact: Rc::new(fact), choice: None }
}
