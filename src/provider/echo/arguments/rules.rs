//! The rules that decide which facts a property may take.

use std::ops::Range;

use super::property::{Offer, Property};
use crate::provider::echo::facts::{Fact, FactType, Kind, Reading, Role, contains, is_exclusive};

/// The cues before a fact that say where something is.
const HERE: &str = "in near at";

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
pub(super) struct Scope<'r> {
    pub(super) reading: &'r Reading,
    pub(super) range: Range<usize>,
    /// The parts of the message that properties have taken.
    pub(super) taken: Vec<Range<usize>>,
}

impl Scope<'_> {
    pub(super) fn is_free(&self, fact: &Fact) -> bool {
        let (start, end) = (fact.range.start, fact.range.end);
        self.taken.iter().all(|taken| taken.end <= start || end <= taken.start)
    }
}

/// Returns the offers that a property may take in a pass, best first.
pub(super) fn allowed<'a>(
    properties: &[Property],
    property: &Property<'a>,
    pass: Pass,
    scope: &Scope,
) -> Vec<Offer<'a>> {
    let is_allowed = |fact: &Fact| match pass {
        Pass::Cue => is_behind_own_cue(property, fact),
        Pass::Beside => {
            is_beside_own_word(property, fact, scope.reading)
                || is_quote_before_own_word(properties, property, fact, scope.reading)
        }
        Pass::Rest => is_left_for(property, fact) && scope.is_free(fact),
    };
    let mut allowed = property.offers_with(is_allowed);
    if property.is_array && pass == Pass::Beside && !allowed.is_empty() {
        // The rest of a list whose first item stands beside the word.
        allowed.extend(property.offers_with(|fact| fact.continues_list));
    }
    if pass == Pass::Rest {
        leave_to_others(&mut allowed, properties, property);
    }
    allowed
}

/// Drops the offers that more likely belong to other open properties of the same kind.
fn leave_to_others(allowed: &mut Vec<Offer>, properties: &[Property], property: &Property) {
    let rivals = || properties.iter().filter(|it| it.is_open() && it.kind() == property.kind());
    let has_start = || rivals().any(|rival| rival.role() == Role::Start);
    match (property.kind(), property.role()) {
        (Some(Kind::Id), _) if rivals().count() > 1 || allowed.len() > 1 => allowed.clear(),
        (Some(Kind::Date | Kind::Moment), Role::End) if allowed.len() < 2 && has_start() => {
            allowed.clear();
        }
        (Some(Kind::Date | Kind::Moment), Role::End) => allowed.reverse(),
        // "in Denver" is where something starts.
        (Some(Kind::Place), Role::End) if has_start() => {
            allowed.retain(|offer| !has_cue(&offer.fact, HERE));
        }
        _ => {}
    }
}

fn has_cue(fact: &Fact, cues: &str) -> bool {
    fact.cue.is_some_and(|cue| contains(cues, cue))
}

fn is_amount(fact: &Fact) -> bool {
    matches!(fact.of, FactType::Number | FactType::Money | FactType::Share)
}

fn is_behind_own_cue(property: &Property, fact: &Fact) -> bool {
    let Some(cue) = fact.cue else { return false };
    let is_word = property.has_word(cue) || cue == "into" && property.has_word("to");
    if property.has_choices() || property.kind() == Some(Kind::Copy) {
        return is_word;
    }
    if property.kind() == Some(Kind::Label) && is_word {
        return fact.of != FactType::Word;
    }
    let is_bound = match property.kind() {
        Some(Kind::Number) => is_amount(fact),
        kind => fact.of == FactType::Number && kind != Some(Kind::Money),
    };
    match cue {
        _ if fact.of == FactType::Word => false,
        "over" if is_bound => property.has_any_word("min minimum"),
        "under" | "up-to" if is_bound => {
            let is_limit = fact.of == FactType::Number && property.has_word("limit");
            is_limit || property.has_any_word("max maximum")
        }
        _ => !is_bound && property.meaning.is_some_and(|meaning| meaning.has_cue(cue)),
    }
}

fn is_beside_own_word(property: &Property, fact: &Fact, reading: &Reading) -> bool {
    if fact.of == FactType::Word && !property.has_choices() {
        return false;
    }
    let kind = property.kind();
    let is_numbered = matches!(kind, Some(Kind::Place | Kind::Room | Kind::Label));
    let [before, after] = reading.beside(fact).map(|word| property.owns(word));
    match fact.of {
        FactType::Name | FactType::Quote => before,
        FactType::Code if kind == Some(Kind::Label) => before || after,
        FactType::Code | FactType::Number if is_numbered => before,
        _ => before || after,
    }
}

/// Returns `true` for a quote before a word of the property, as in `the "shop" namespace`, that does
/// not stand after a word of another property that could take it.
fn is_quote_before_own_word(
    properties: &[Property],
    property: &Property,
    fact: &Fact,
    reading: &Reading,
) -> bool {
    if fact.of != FactType::Quote {
        return false;
    }
    let [before, after] = reading.beside(fact);
    let may_take = |other: &Property| other.offers_in_scope().any(|it| it.fact.range == fact.range);
    property.owns(after) && !properties.iter().any(|other| other.owns(before) && may_take(other))
}

/// Returns `true` if the cue before a fact does not hold it back: quotes, amounts after "from" and
/// "to", and the currencies of other amounts.
fn is_free_of_cues(fact: &Fact) -> bool {
    fact.of == FactType::Quote
        || fact.of == FactType::Currency && has_cue(fact, "over under up-to")
        || is_amount(fact) && has_cue(fact, "from to")
}

/// Returns `true` if a number stands behind no cue of a certain property.
pub(super) fn is_bare(fact: &Fact) -> bool {
    is_free_of_cues(fact) || !fact.cue.is_some_and(is_exclusive)
}

/// Returns `true` if a property may take a fact to which no word leads.
fn is_left_for(property: &Property, fact: &Fact) -> bool {
    let names_cue = |cue| property.meaning.is_some_and(|meaning| meaning.names_cue(cue));
    let is_start = property.role() == Role::Start;
    if fact.of == FactType::Word {
        return property.has_choices() && (!is_start || property.kind().is_none());
    }
    if !is_bare(fact) && !fact.cue.is_some_and(names_cue) {
        return false;
    }
    match property.kind() {
        Some(Kind::Copy | Kind::Question | Kind::Sample | Kind::Number | Kind::Label) => false,
        Some(Kind::Date | Kind::Moment | Kind::Time) => {
            !property.has_word("return") && fact.of != FactType::Name
        }
        Some(Kind::Id) => fact.of == FactType::Code,
        Some(Kind::Title | Kind::Event) => fact.of == FactType::Quote,
        Some(Kind::Money | Kind::Share) => fact.of != FactType::Number,
        Some(Kind::Place) if is_start => fact.of == FactType::Name && has_cue(fact, HERE),
        _ if is_start => false,
        Some(Kind::Place | Kind::Room) => {
            let is_led = has_cue(fact, HERE) || has_cue(fact, "from to for");
            fact.of == FactType::Name && (is_led || fact.ends_sentence)
        }
        kind => kind.is_some(),
    }
}

/// Returns `true` if a lower-case word stands behind a cue for places of the role of a property.
pub(super) fn has_place_cue(property: &Property, fact: &Fact, reading: &Reading) -> bool {
    let is_last_to = || {
        let rest = reading.facts.iter().filter(|it| it.range.start > fact.range.start);
        !rest.into_iter().any(|it| it.of == FactType::Word && it.cue == Some("to"))
    };
    match (property.role(), fact.cue) {
        (Role::Start, cue) => cue == Some("from"),
        (_, Some("to")) => is_last_to(),
        (_, Some("in" | "near")) => true,
        (role, cue) => role == Role::None && cue == Some("from"),
    }
}
