//! Finds the facts that a property could have taken with equal right.

use std::ops::Range;

use super::{
    property::{Offer, Property},
    several::Call,
};
use crate::facts::{Fact, Reading};

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
                && property.count_words(reading.lead(other))
                    == property.count_words(reading.lead(fact))
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
    reading.mark_before(fact) == reading.mark_before(other)
        || reading.text[..other.range.start].ends_with("same for ")
}
