//! Finds the values that say what something is after it: `closed` in "Close the ticket".

use std::rc::Rc;

use serde_json::Value;

use super::property::{Offer, Property};
use crate::{
    facts::{FactType, Reading},
    text::{
        canonical, last_word,
        lexicon::{BEFORE_VERBS, contains},
    },
};

/// Participles, each with the form of the past.
const IRREGULAR: [(&str, &str); 4] =
    [("stolen", "stole"), ("broken", "broke"), ("lost", "lose"), ("frozen", "froze")];

/// Returns the participles among the values in `enum` whose verbs the message asks for.
pub(super) fn participles(property: &Property, reading: &Reading) -> Vec<Offer> {
    let mut offers = Vec::new();
    for choice in &property.choices {
        let Some(form) = choice.as_str().map(canonical) else { continue };
        let offer = |range| {
            let fact = reading.fact(FactType::Choice, range, form.clone());
            Offer { fact: Rc::new(fact), choice: Some(Value::clone(choice)) }
        };
        if let Some((_, past)) = IRREGULAR.iter().find(|(participle, _)| *participle == form) {
            let found = reading.find(&[(*past).to_owned()]).into_iter();
            offers
                .extend(found.filter(|(_, is_negated)| !is_negated).map(|(range, _)| offer(range)));
        }
        let Some(base) = form.strip_suffix("ed") else { continue };
        // "closed", "resolved", "cancelled"
        for verb in [base.to_owned(), format!("{base}e"), without_double(base)] {
            let found = reading.find(&[verb]).into_iter();
            let found =
                found.filter(|(range, is_negated)| !is_negated && asks(reading, range.start));
            offers.extend(found.map(|(range, _)| offer(range)));
        }
    }
    offers
}

/// Returns a word without the second of two equal letters at its end.
fn without_double(word: &str) -> String {
    let mut short = word.to_owned();
    if short.pop().is_some_and(|last| !short.ends_with(last)) {
        return word.to_owned();
    }
    short
}

/// Returns `true` if a verb at a position may be the first of a request.
fn asks(reading: &Reading, at: usize) -> bool {
    let last = last_word(&reading.text[..at]);
    last.is_empty() || contains(BEFORE_VERBS, &canonical(last))
}
