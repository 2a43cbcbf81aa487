//! Finds the facts that a property could have taken with equal right: the items of lists, as in "in London,
//! Paris and Rome", and facts with the same surroundings.

use std::{ops::Range, rc::Rc};

use super::{
    fit::{is_at_place, is_beside_own_word},
    generator::Generator,
    offers::values,
    property::{Offer, Property},
};
use crate::{
    facts::{Fact, FactType, Reading},
    text::{
        canonical,
        lexicon::{LIST_JOINTS, contains, is_generic},
    },
};

/// Maximum number of calls that a mention triggers.
pub(super) const MAX_CALLS: usize = 8;

/// The properties of a call.
pub(super) type Call<'a> = Vec<Property<'a>>;

impl<'a> Generator<'a> {
    /// Returns a call for each item of the lists in a clause, which must be equally long.
    pub(super) fn by_list(
        &mut self,
        call: Call<'a>,
        reading: &Reading,
        clause: &Range<usize>,
    ) -> Vec<Call<'a>> {
        if self.spend_comparisons(&call, reading).is_none() {
            return vec![call];
        }
        let list = |it: &Property<'a>| list(it, &call, reading, clause);
        let lists: Vec<Vec<Offer>> = call.iter().map(list).collect();
        let count = lists.iter().map(Vec::len).max().unwrap_or(0);
        let is_even = lists.iter().all(|list| list.is_empty() || list.len() == count);
        let tells = |it: &Property| it.is_wanted || it.fact.as_deref().is_some_and(is_at_place);
        let is_wanted = call.iter().zip(&lists).any(|(it, list)| tells(it) && !list.is_empty());
        if !is_even || !is_wanted {
            return vec![call];
        }
        let is_item =
            |fact: &Rc<Fact>| lists.iter().flatten().any(|it| it.fact.range == fact.range);
        let item = |index: usize| {
            let mut call = call.clone();
            for (property, list) in call.iter_mut().zip(&lists) {
                if let Some(offer) = list.get(index) {
                    let values = values(property, offer, reading);
                    property.value = Some(self.first_valid(property, values)?);
                    let words = &reading.text[offer.fact.range.clone()];
                    self.trace_words(property, "item of a list", words);
                } else if !property.is_wanted && property.fact.as_ref().is_some_and(is_item) {
                    property.repeat(None);
                }
            }
            Some(call)
        };
        let calls: Option<_> = (0..count.min(MAX_CALLS)).map(item).collect();
        calls.unwrap_or_else(|| vec![call])
    }
}

/// Returns the items of the list that starts with the fact of a property, if the property and no other may
/// take them all.
fn list(property: &Property, call: &Call, reading: &Reading, clause: &Range<usize>) -> Vec<Offer> {
    let is_first = |it: &&Rc<Fact>| {
        clause.contains(&it.range.start) && !it.continues_list && !property.is_array
    };
    let Some(first) = property.fact.as_ref().filter(is_first) else { return Vec::new() };
    let mut items: Vec<_> = alternatives(property, first, clause).into_iter().cloned().collect();
    let own = items.iter().position(|it| it.fact.range == first.range);
    let Some(at) = own else { return Vec::new() };
    // "both my checking and my savings accounts"
    let joins = |pair: &&[Offer]| joint(reading, &pair[0].fact, &pair[1].fact).is_some();
    let before = items[..=at].windows(2).rev().take_while(joins).count();
    items.drain(..at - before);
    items.truncate(MAX_CALLS + 1);
    let joints = items.windows(2).map_while(|it| joint(reading, &it[0].fact, &it[1].fact));
    let joints: Vec<&str> = joints.collect();
    items.truncate(joints.len() + 1);
    let is_of_other = |item: &Offer| {
        call.iter().filter(|it| it.path != property.path).any(|it| {
            if it.has_form(&item.fact) && !property.has_form(&item.fact) {
                return true;
            }
            let waits = it.is_array || it.is_open_and_single() && it.is_wanted;
            let may_have = |offer: &&Offer| waits && it.has_choices() == offer.choice.is_some();
            let offers = it.offers.iter().filter(may_have).map(|it| &it.fact);
            let own =
                it.fact.iter().filter(|fact| it.is_wanted || is_beside_own_word(it, fact, reading));
            own.chain(offers).any(|fact| overlap(fact, &item.fact))
        })
    };
    // "Paris, France", and "Paris, France and Rome, Italy"
    let is_region = joints == [","] || joints.windows(2).any(|it| it[0] != "," && it[1] == ",");
    if items.len() < 2 || is_region || items.iter().any(is_of_other) { Vec::new() } else { items }
}

/// Returns the comma or the word that joins an item to the next one. Generic words and units may be
/// repeated, as in "in London and in Paris" and "10 years and 20 years".
fn joint<'r>(reading: &'r Reading, item: &Fact, next: &Fact) -> Option<&'r str> {
    let gap = reading.text.get(item.range.end..next.range.start)?;
    let words = || gap.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let [_, unit] = reading.beside(next);
    let is_unit = |word: &str| unit.is_some_and(|unit| canonical(word) == unit);
    let is_list = item.cue == next.cue
        && !gap.contains(|c: char| c.is_ascii_digit())
        && words().all(|word| contains(LIST_JOINTS, word) || is_generic(word) || is_unit(word));
    let joint = words().find(|word| contains(LIST_JOINTS, word));
    joint.or(gap.contains(',').then_some(",")).filter(|_| is_list)
}

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
    // "Close WEB-301 as done, and change PAY-64 to blocked"
    let is_rare = matches!(fact.of, FactType::Code | FactType::Phone | FactType::Email);
    let may_be_of_other =
        |fact: &Fact| others().flat_map(|it| it.offers.iter()).any(|it| overlap(&it.fact, fact));
    let is_alike = |other: &Fact| match reading.beside(other) {
        _ if property.has_form(fact) && property.has_form(other) => true,
        _ if is_rare && !may_be_of_other(other) && !may_be_of_other(fact) => true,
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
fn alternatives<'p>(property: &'p Property, fact: &Fact, part: &Range<usize>) -> Vec<&'p Offer> {
    let is_alternative = |it: &&Offer| it.fact.of == fact.of && part.contains(&it.fact.range.start);
    let mut offers: Vec<_> = property.offers.iter().filter(is_alternative).collect();
    offers.sort_by_key(|it| it.fact.range.start);
    offers.dedup_by(|next, offer| overlap(&offer.fact, &next.fact));
    offers
}

fn overlap(one: &Fact, other: &Fact) -> bool {
    one.range.start < other.range.end && other.range.start < one.range.end
}

/// Returns `true` if the same word or bracket stands before two facts, or "the same for" before the second.
fn is_led_alike(reading: &Reading, fact: &Fact, other: &Fact) -> bool {
    reading.mark_before(fact).eq_ignore_ascii_case(reading.mark_before(other))
        || reading.text[..other.range.start].ends_with("same for ")
}
