//! Finds the facts that a property could have taken with equal right.

use std::{ops::Range, rc::Rc};

use super::{
    property::{Offer, Property},
    several::{Call, MAX_CALLS},
};
use crate::{
    facts::{Fact, FactType, Reading},
    text::{
        canonical,
        lexicon::{is_generic, is_number},
    },
};

/// Maximum number of words before a fact that are compared with those of a property.
const MAX_OWN_WORDS: usize = 8;

/// Returns the facts with the same surroundings as the fact of a property, in order.
pub(super) fn facts_alike(
    property: &Property,
    call: &Call,
    reading: &Reading,
    reach: &Range<usize>,
) -> Vec<Range<usize>> {
    let Some(fact) = property.fact.as_ref() else { return Vec::new() };
    let others = || call.iter().filter(|it| it.path != property.path);
    let of_others = |it: &Fact| reading.beside(it).map(|word| others().any(|it| it.owns(word)));
    let [before, after] = reading.beside(fact).map(|word| word.filter(|_| property.owns(word)));
    let is_alike = |other: &Fact| match reading.beside(other) {
        words if before.is_some() => {
            words[0] == before
                && own_words(property, reading, other) == own_words(property, reading, fact)
        }
        words if after.is_some() => words[1] == after,
        _ => is_led_alike(reading, fact, other) && of_others(other) == of_others(fact),
    };
    let is_free = |other: &Fact| {
        let mut taken = others().filter(|it| it.is_wanted).filter_map(|it| it.fact.as_ref());
        !taken.any(|taken| overlap(taken, other))
    };
    let alternatives = alternatives(property, fact, reach).into_iter().map(|it| &it.fact);
    let facts = alternatives.filter(|it| is_alike(it) && is_free(it));
    facts.map(|it| it.range.clone()).collect()
}

/// Returns how many words of a property stand before a fact: "a final pressure of 5" is not alike to "a
/// pressure of 5".
fn own_words(property: &Property, reading: &Reading, fact: &Fact) -> usize {
    let words = reading.text[..fact.range.start].rsplit(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).take(MAX_OWN_WORDS).map(canonical);
    let is_own = |word: &String| property.owns(Some(word));
    words
        .take_while(|word| is_own(word) || is_generic(word) && !is_number(word))
        .filter(is_own)
        .count()
}

/// Returns what a property may take in a part of the message instead of a fact, and the fact, in order.
pub(super) fn alternatives<'p>(
    property: &'p Property,
    fact: &Fact,
    part: &Range<usize>,
) -> Vec<&'p Offer> {
    let is_alternative = |it: &&Offer| it.fact.of == fact.of && part.contains(&it.fact.range.start);
    let mut offers: Vec<_> = property.offers.iter().filter(is_alternative).collect();
    offers.sort_by_key(|it| it.fact.range.start);
    offers.dedup_by(|next, offer| overlap(&offer.fact, &next.fact));
    offers
}

pub(super) fn overlap(one: &Fact, other: &Fact) -> bool {
    one.range.start < other.range.end && other.range.start < one.range.end
}

/// Returns `true` if the same word or bracket stands before two facts, or "the same for" before the second.
fn is_led_alike(reading: &Reading, fact: &Fact, other: &Fact) -> bool {
    let lead = lead(reading, fact);
    let is_joint = [",", "and", "or"].contains(&lead);
    !is_joint && lead == self::lead(reading, other)
        || reading.text[..other.range.start].ends_with("same for ")
}

/// Returns the word or the punctuation mark before a fact.
pub(super) fn lead<'r>(reading: &'r Reading, fact: &Fact) -> &'r str {
    let is_quote = |c: char| fact.of == FactType::Quote && !c.is_alphanumeric() && c != ' ';
    let before = reading.text[..fact.range.start].trim_end_matches(is_quote).trim_end();
    let word = before.trim_end_matches(char::is_alphanumeric).len();
    let mark = before.char_indices().next_back().map_or(0, |(at, _)| at);
    &before[word.min(mark)..]
}

/// Returns the number words that are no values: "two circles, one with a radius of 5 and …".
pub(super) fn counts(call: &Call, reading: &Reading) -> Vec<Range<usize>> {
    let is_word = |fact: &Fact| reading.text[fact.range.clone()].starts_with(char::is_alphabetic);
    let numbers = || reading.facts().iter().filter(|it| it.of == FactType::Number);
    let is_count = |fact: &&Rc<Fact>| {
        let mut next = reading.text[fact.range.end..].split_whitespace().take(2);
        if fact.value == "1" {
            return next.next().is_none_or(is_generic);
        }
        let later = numbers().filter(|it| it.range.start > fact.range.end && !is_word(it)).count();
        fact.value.parse().is_ok_and(|count: usize| later >= count)
            && next.any(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()).ends_with('s'))
            && !call.iter().any(|it| it.owns(reading.beside(fact)[1]))
    };
    let counts = numbers().filter(|it| is_word(it)).take(MAX_CALLS).filter(is_count);
    counts.map(|it| it.range.clone()).collect()
}
