//! The facts that fit a property, with the values that they have there.

use serde_json::{Number, Value};

use super::{
    number::from_f64,
    property::{Offer, Property},
};
use crate::provider::echo::{
    facts::{Fact, FactType, Kind, NUMBERED, Reading, contains},
    text::canonical_words,
};

/// Words that say that a boolean property is true, and nothing more.
const BOOLEAN_FILLERS: &str =
    "is has include included with enable enabled allow allowed should need needed want";

/// Returns the facts that a property may take, best first.
pub(super) fn offers(property: &Property, reading: &Reading) -> Vec<Offer> {
    let chosen = choices(property, reading);
    if !chosen.is_empty() {
        return chosen;
    }
    let Some(meaning) = property.meaning else { return Vec::new() };
    let more: &[FactType] = match meaning.kind() {
        Kind::Room => &NUMBERED,
        Kind::Money | Kind::Share => &[FactType::Number],
        _ => &[],
    };
    let mut offers = Vec::new();
    for of in meaning.row.takes.iter().chain(more) {
        for fact in reading.facts.iter().filter(|fact| fact.of == *of) {
            let needs_clock = *of == FactType::RelativeDate && property.format.is_some();
            if !needs_clock {
                offers.push(Offer { fact: fact.clone(), values: values(property, fact, reading) });
            }
        }
    }
    offers
}

/// Returns the values of an `enum` that the message states, the earliest and longest first.
fn choices(property: &Property, reading: &Reading) -> Vec<Offer> {
    let mut offers = Vec::new();
    for choice in &property.choices {
        let text = match choice {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
            _ => continue,
        };
        let (values, words) = (vec![(*choice).clone()], canonical_words(&text));
        for (range, is_negated) in reading.find(&words) {
            // A single letter is more often an article than a value.
            let is_exact = text.chars().count() > 1 || reading.text[range.clone()] == text;
            if is_exact && !is_negated {
                let fact = reading.fact(FactType::Word, range, text.clone());
                offers.push(Offer { fact, values: values.clone() });
            }
        }
        let named = reading.facts.iter().filter(|fact| {
            matches!(fact.of, FactType::Currency | FactType::Language)
                && fact.value.eq_ignore_ascii_case(&text)
        });
        offers.extend(named.map(|fact| Offer { fact: fact.clone(), values: values.clone() }));
    }
    offers.sort_by_key(|offer| (offer.fact.range.start, std::cmp::Reverse(offer.fact.range.end)));
    offers
}

/// Returns the values that a fact may have for a property.
fn values(property: &Property, fact: &Fact, reading: &Reading) -> Vec<Value> {
    let text = |text: &str| Value::from(text);
    match fact.of {
        FactType::Number | FactType::Money | FactType::Share => {
            let number = fact.value.parse::<Number>().ok();
            let share = fact.value.parse::<f64>().ok().filter(|_| fact.of == FactType::Share);
            let share = share.map(|share| from_f64(share / 100.0));
            let whole = number.map(Value::Number).into_iter().chain(share);
            if property.is_numeric() {
                whole.collect()
            } else {
                std::iter::once(text(&fact.value)).chain(whole).collect()
            }
        }
        FactType::Language => {
            vec![text(&reading.text[fact.range.clone()]), text(&fact.value)]
        }
        FactType::Date if is_date_time(property) => {
            let time = reading.facts.iter().find(|it| it.of == FactType::Time);
            let time = time.map_or("00:00", |time| &time.value);
            vec![text(&format!("{}T{time}:00Z", fact.value))]
        }
        FactType::Time if is_date_time(property) => {
            vec![text(&format!("2024-01-15T{}:00Z", fact.value))]
        }
        FactType::Time if property.format.is_some() => vec![text(&format!("{}:00Z", fact.value))],
        FactType::Code => {
            vec![text(&fact.value), text(&reading.text[fact.range.clone()])]
        }
        // "in the living room"
        FactType::Word if property.kind() == Some(Kind::Room) => {
            let is_before = |word: &str| reading.text[fact.range.end..].starts_with(word);
            vec![text(&format!("{}{}", fact.value, if is_before(" room") { " room" } else { "" }))]
        }
        _ => vec![text(&fact.value)],
    }
}

fn is_date_time(property: &Property) -> bool {
    property.format == Some("date-time")
}

/// Returns whether the words of a boolean property stand in a message, unnegated or negated.
pub(super) fn stated_boolean(property: &Property, reading: &Reading) -> Option<Value> {
    let words: Vec<String> = property
        .own_words
        .iter()
        .filter(|word| !contains(BOOLEAN_FILLERS, word))
        .cloned()
        .collect();
    let found = reading.find(&words);
    let (_, is_negated) = found.first()?;
    Some(Value::Bool(!is_negated))
}
