//! The rule that gives words without a fact to the only text that must be there.

use std::{ops::Range, rc::Rc, slice, sync::LazyLock};

use regex::Regex;

use super::{
    phrases::phrases,
    property::{Offer, Property},
    search::Search,
};
use crate::{
    facts::{Fact, FactType, Kind, Reading, compile},
    text::{
        canonical,
        lexicon::{AMOUNT_UNITS, OWN_TEXTS, contains},
        words,
    },
};

/// Maximum number of bytes of a message in which words are looked for.
const MAX_BYTES: usize = 2048;
/// What stands before words if nothing else leads to them.
const WEAK_STARTS: [&str; 4] = [" for ", " of ", " about ", " on "];

/// What stands before a thing of which another text tells.
const THING_STARTS: [&str; 4] = [" on ", " of ", " for ", " with "];

impl Search<'_, '_> {
    /// The words behind a colon, behind "with", or behind the verb of the request, for the only text or the
    /// only list of texts that must be there: "Rent skis and boots for 5 days".
    pub(super) fn words_left(&self) -> Vec<Offer> {
        let property = self.property;
        if property.waits_for_list() {
            return self.list_behind_with();
        }
        // "Report a fault on the printer: it smells" tells of a thing and of what is wrong with it.
        let is_own_text = property.is_report();
        let is_rival = |it: &Property| {
            it.waits_for_words()
                && (it.shown.name != Some(true) || property.shown.name == Some(true))
                && (it.is_array || !property.is_array)
                && (property.is_array || it.is_report() == is_own_text)
        };
        let has_text = !is_own_text && self.others().any(|it| it.waits_for_words());
        if !property.waits_for_words() || self.others().any(is_rival) {
            return Vec::new();
        }
        let phrases = |starts: Vec<usize>, may_be_name: bool| {
            let fits =
                |first: &Offer| may_be_name || first.fact.value.starts_with(char::is_lowercase);
            let mut lists = starts.into_iter().map(|start| self.phrases_left(start));
            lists.find(|list| list.first().is_some_and(fits)).unwrap_or_default()
        };
        let may_be_name = property.kind() != Some(Kind::Title);
        let one = |fact: Option<Fact>| fact.map(offer).into_iter().collect();
        // "dead on arrival" says no problem.
        let weak_starts = &WEAK_STARTS[..if is_own_text { 3 } else { 4 }];
        let thing_of_text = || phrases(self.behind(&THING_STARTS), false);
        if has_text && !property.is_array {
            let counted: Vec<_> = one(self.behind_count());
            return if counted.is_empty() { thing_of_text() } else { counted };
        }
        // The object of a request is no text about it.
        let by_place = |way: &dyn Fn() -> Vec<Offer>| if is_own_text { Vec::new() } else { way() };
        let ways: [&dyn Fn() -> Vec<Offer>; 16] = [
            &|| one(self.clause_told()),
            &|| one(self.clause_left().filter(|it| self.scope.is_free(it))),
            &|| if property.is_array { phrases(self.wants(), false) } else { Vec::new() },
            &|| phrases(self.phrase_starts(), may_be_name),
            &|| one(self.behind_unit()),
            &|| one(self.in_tool_word()),
            &|| one(self.behind_count()),
            &|| by_place(&|| one(self.subject())),
            &|| phrases(self.behind(weak_starts), false),
            &|| phrases(self.behind_verb(), false),
            &|| by_place(&|| phrases(self.possession(), false)),
            &|| by_place(&|| one(self.owner())),
            &|| by_place(&|| one(self.task().filter(|_| !property.is_array))),
            &|| by_place(&|| phrases(self.object(), may_be_name)),
            &|| phrases(self.apposition(), false),
            &|| one(self.sentence_told()),
        ];
        ways.into_iter().map(|way| way()).find(|offers| !offers.is_empty()).unwrap_or_default()
    }

    /// A lower-case word beside a word of the property, for a text that must be there: "the marketing department".
    pub(super) fn own_noun(&self) -> Vec<Offer> {
        let noun = || self.beside_own_noun().filter(|it| self.scope.is_free(it));
        let is_said = |word: &String| !self.scope.reading.find(slice::from_ref(word)).is_empty();
        let is_text = self.property.waits_for_words() && !self.property.is_array;
        let may_be_said = is_text && self.property.own_words.iter().any(is_said);
        may_be_said.then(noun).flatten().map(offer).into_iter().collect()
    }

    /// The things behind "with", for the only list of texts that need not be there: "with a dock and a mouse".
    fn list_behind_with(&self) -> Vec<Offer> {
        let is_rival = |it: &Property| it.is_array && it.is_any_text();
        if self.others().any(is_rival) {
            return Vec::new();
        }
        let lists = self.behind(&[" with "]).into_iter().map(|start| self.phrases_left(start));
        let is_thing = |it: &Offer| {
            let led = &self.scope.reading.text[..it.fact.range.start];
            led.ends_with(" a ") || led.ends_with(" an ")
        };
        lists.into_iter().find(|list| list.iter().any(is_thing)).unwrap_or_default()
    }

    /// Returns where phrases may start, best first.
    fn phrase_starts(&self) -> Vec<usize> {
        if !self.property.is_array {
            let text = &self.scope.reading.text;
            let is_word = |at: &usize| text[*at..].starts_with(char::is_lowercase);
            let brackets = self.behind(&[" ("]).into_iter().filter(is_word);
            return self.behind(&[" with ", " has ", ": "]).into_iter().chain(brackets).collect();
        }
        let mut starts = self.behind(&[": "]);
        starts.extend(self.behind_words(|form| self.is_of_tool(form)));
        starts.extend(self.further_clause());
        starts.extend(self.behind(&[" with "]));
        starts
    }

    /// Returns where a text may stand between commas: "for room 5, broken window handle, priority high".
    fn apposition(&self) -> Vec<usize> {
        let is_text = self.property.is_array || self.property.has_any_word(OWN_TEXTS);
        if is_text { self.behind(&[", "]) } else { Vec::new() }
    }

    /// Returns where the clause of a further call starts: "and a salad for table 5".
    pub(super) fn further_clause(&self) -> Option<usize> {
        self.text().starts_with(" and ").then_some(self.scope.range.start + " and ".len())
    }

    /// Returns the ends of the words whose canonical forms are suitable.
    pub(super) fn behind_words(
        &self,
        is_suitable: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = usize> {
        let (text, start) = (self.text(), self.scope.range.start);
        let words = words(text).map(|it| it.range);
        words
            .filter(move |it| is_suitable(&canonical(&text[it.clone()])))
            .map(move |it| start + it.end)
    }

    /// Returns where words stand behind some marks, those of the first mark first.
    pub(super) fn behind(&self, marks: &[&str]) -> Vec<usize> {
        let (text, start) = (self.text(), self.scope.range.start);
        let ends = |mark: &&str| {
            text.match_indices(mark).map(|(at, mark)| start + at + mark.len()).collect::<Vec<_>>()
        };
        marks.iter().flat_map(ends).collect()
    }

    /// Returns the part of the message in which words are looked for.
    pub(super) fn text(&self) -> &str {
        let (text, Range { start, end }) = (&self.scope.reading.text, self.scope.range.clone());
        &text[start..end.min(text.floor_char_boundary(start + MAX_BYTES))]
    }

    /// Returns the phrases of the list that starts at `start`, if they are not words of the tool or the
    /// property.
    pub(super) fn phrases_left(&self, start: usize) -> Vec<Offer> {
        let reading = self.scope.reading;
        let items = phrases(reading, start..self.scope.range.end);
        let is_known = |word: &String| {
            let is_own = |it: &Property| it.has_word(word) || it.owns(Some(word));
            self.shares_tool_stem(word) || self.properties.iter().any(is_own)
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
        let is_number = |fact: &Fact| fact.of == FactType::Number && fact.range == item;
        if reading.fact_in(&item).is_some_and(is_number) {
            return None;
        }
        let behind_number = text.split_once(' ').map(|(number, _)| item.start + number.len() + 1);
        let thing = |start: usize| {
            start + MEASURE.find(&reading.text[start..item.end]).map_or(0, |it| it.end())
        };
        let starts = [Some(item.start), behind_number];
        let starts = starts.into_iter().flatten().map(thing);
        let mut facts = starts.map(|start| reading.phrase(start..item.end));
        facts.find(|it| self.scope.is_free(it) && !contains(AMOUNT_UNITS, &it.value))
    }
}

/// How much of something, before what it is: "60 tablets of", "more doses of", "kg of".
static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:(?:\d+|more|another|additional|extra|new) )*(?:[a-z]{2,}s|kg|g|mg|ml|l|lb|oz)? ?\bof (?:the )?",
    )
});

/// Joins phrases with "and" between them.
pub(super) fn whole(reading: &Reading, phrases: impl IntoIterator<Item = Fact>) -> Option<Fact> {
    let mut phrases = phrases.into_iter();
    let first = phrases.next()?;
    let mut end = first.range.end;
    for next in phrases {
        let is_further = next.value.starts_with(|c: char| c.is_ascii_digit());
        if is_further || !reading.text[end..next.range.start].starts_with(" and ") {
            break;
        }
        end = next.range.end;
    }
    Some(reading.phrase(first.range.start..end))
}

fn offer(fact: Fact) -> Offer {
    Offer { fact: Rc::new(fact), choice: None }
}
