//! Decides which facts a property may take.

use std::{ops::Range, rc::Rc};

use super::property::{Offer, Property};
use crate::provider::echo::facts::{Fact, FactType, Kind, Reading, Role, is_exclusive};

/// How a property finds its fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// The fact stands behind a cue of the property.
    Cue,
    /// The fact stands beside a word of the property.
    Beside,
    /// The fact is left.
    Rest,
}

/// A part of a message.
pub(super) struct Scope {
    pub(super) reading: Rc<Reading>,
    pub(super) range: Range<usize>,
    /// The parts that other properties have taken.
    pub(super) taken: Vec<Range<usize>>,
}

impl Scope {
    pub(super) fn is_free(&self, range: &Range<usize>) -> bool {
        self.taken.iter().all(|taken| taken.end <= range.start || range.end <= taken.start)
    }
}

/// Returns the offers that a property may take in a pass, best first.
pub(super) fn allowed(
    properties: &[Property],
    index: usize,
    pass: Pass,
    scope: &Scope,
) -> Vec<Offer> {
    let property = &properties[index];
    let is_allowed = |offer: &&Offer| match pass {
        Pass::Cue => is_behind_own_cue(property, &offer.fact),
        Pass::Beside => {
            is_beside_own_word(property, &offer.fact)
                || is_quote_before_own_word(properties, property, &offer.fact)
        }
        Pass::Rest => is_left_for(property, &offer.fact),
    };
    let mut allowed: Vec<Offer> = property.offers.iter().filter(is_allowed).cloned().collect();
    if property.is_array && pass == Pass::Beside && !allowed.is_empty() {
        // The rest of a list whose first item stands beside the word.
        let in_list = |offer: &&Offer| offer.fact.continues_list;
        allowed.extend(property.offers.iter().filter(in_list).cloned());
    }
    if pass != Pass::Rest {
        return allowed;
    }
    allowed.retain(|offer| scope.is_free(&offer.fact.range));
    let open = |other: &Property| other.value.is_none() && other.kind() == property.kind();
    match property.kind() {
        Some(Kind::Id) => {
            let ids = properties.iter().filter(|other| open(other)).count();
            if ids > 1 || allowed.len() > 1 { Vec::new() } else { allowed }
        }
        Some(Kind::Date | Kind::Moment) if property.role() == Role::End => {
            allowed.reverse();
            let has_start = properties.iter().any(|it| open(it) && it.role() == Role::Start);
            if has_start && allowed.len() < 2 { Vec::new() } else { allowed }
        }
        Some(Kind::Place) if property.role() == Role::End => {
            // "in Denver" is where something starts.
            let has_start = properties.iter().any(|it| open(it) && it.role() == Role::Start);
            allowed.retain(|it| !has_start || !matches!(it.fact.cue, Some("in" | "near" | "at")));
            allowed
        }
        _ => allowed,
    }
}

fn is_behind_own_cue(property: &Property, fact: &Fact) -> bool {
    let Some(cue) = fact.cue else { return false };
    let by_word = property.has_word(cue) || (cue == "into" && property.has_word("to"));
    let is_number = match property.kind() {
        Some(Kind::Number) => {
            matches!(fact.of, FactType::Number | FactType::Money | FactType::Share)
        }
        kind => fact.of == FactType::Number && kind != Some(Kind::Money),
    };
    match property.meaning {
        _ if fact.of == FactType::Word && property.choices.is_empty() => false,
        _ if !property.choices.is_empty() => by_word,
        _ if property.kind() == Some(Kind::Copy) => by_word,
        _ if is_number => match cue {
            "over" => property.has_word("min") || property.has_word("minimum"),
            "under" | "up-to" => {
                let is_limit = fact.of == FactType::Number && property.has_word("limit");
                is_limit || property.has_word("max") || property.has_word("maximum")
            }
            _ => false,
        },
        Some(meaning) => meaning.has_cue(cue),
        None => false,
    }
}

fn is_beside_own_word(property: &Property, fact: &Fact) -> bool {
    let is_place = matches!(property.kind(), Some(Kind::Place | Kind::Room));
    let [before, after] = &fact.beside;
    let is_own =
        |word: &Option<String>| word.as_ref().is_some_and(|word| property.own_words.contains(word));
    match fact.of {
        FactType::Word if property.choices.is_empty() => false,
        FactType::Name | FactType::Quote => is_own(before),
        FactType::Code | FactType::Number if is_place => is_own(before),
        _ => is_own(before) || is_own(after),
    }
}

/// Returns `true` for a quote before a word of the property, as in `the "shop" namespace`, that does
/// not stand after a word of another property that could take it.
fn is_quote_before_own_word(properties: &[Property], property: &Property, fact: &Fact) -> bool {
    let [before, after] = &fact.beside;
    let belongs_to = |property: &Property, word: &Option<String>| {
        word.as_ref().is_some_and(|word| property.own_words.contains(word))
    };
    let may_take = |other: &Property| other.offers.iter().any(|it| it.fact.range == fact.range);
    fact.of == FactType::Quote
        && belongs_to(property, after)
        && !properties.iter().any(|other| belongs_to(other, before) && may_take(other))
}

/// Returns `true` if the cue before a fact does not hold it back: quotes, amounts after "from" and
/// "to", and the currencies of other amounts.
pub(super) fn is_free_of_cues(fact: &Fact) -> bool {
    let is_amount = matches!(fact.of, FactType::Number | FactType::Money | FactType::Share);
    let bounds_amount = |cue| ["over", "under", "up-to"].contains(&cue);
    fact.of == FactType::Quote
        || fact.of == FactType::Currency && fact.cue.is_some_and(bounds_amount)
        || is_amount && fact.cue.is_some_and(|cue| ["from", "to"].contains(&cue))
}

/// Returns `true` if a property may take a fact to which no word leads.
fn is_left_for(property: &Property, fact: &Fact) -> bool {
    let names_cue = |cue: &str| property.meaning.is_some_and(|meaning| meaning.names_cue(cue));
    let is_held = fact.cue.is_some_and(|cue| is_exclusive(cue) && !names_cue(cue));
    let is_chosen = !property.choices.is_empty() && fact.of == FactType::Word;
    if is_chosen {
        return property.role() != Role::Start || property.kind().is_none();
    }
    if is_held && !is_free_of_cues(fact) || fact.of == FactType::Word {
        return false;
    }
    match property.kind() {
        Some(Kind::Copy | Kind::Question | Kind::Sample) | None => false,
        Some(Kind::Date | Kind::Moment | Kind::Time) => {
            !property.has_word("return") && fact.of != FactType::Name
        }
        Some(Kind::Number | Kind::Label) => false,
        Some(Kind::Id) => fact.of == FactType::Code,
        Some(Kind::Money | Kind::Share) => fact.of != FactType::Number,
        Some(Kind::Place) if property.role() == Role::Start => {
            let is_there = fact.cue.is_some_and(|cue| ["in", "near", "at"].contains(&cue));
            fact.of == FactType::Name && is_there
        }
        _ if property.role() == Role::Start => false,
        Some(Kind::Place | Kind::Room) => {
            let leads = |cue| ["in", "near", "at", "from", "to", "for"].contains(&cue);
            fact.of == FactType::Name && (fact.cue.is_some_and(leads) || fact.ends_sentence)
        }
        Some(Kind::Title | Kind::Event) => fact.of == FactType::Quote,
        Some(_) => true,
    }
}

/// Returns `true` if a lower-case word stands behind a cue for places of this role.
pub(super) fn has_place_cue(property: &Property, fact: &Fact, scope: &Scope) -> bool {
    let is_last_to = || {
        let rest = scope.reading.facts.iter().filter(|it| it.range.start > fact.range.start);
        !rest.into_iter().any(|it| it.of == FactType::Word && it.cue == Some("to"))
    };
    match (property.role(), fact.cue) {
        (Role::Start, cue) => cue == Some("from"),
        (Role::End, Some("to")) | (Role::None, Some("to")) => is_last_to(),
        (_, Some("in" | "near")) => true,
        (Role::None, Some("from")) => true,
        _ => false,
    }
}
