//! Finds the values that say what something is after it: `closed` in "Close the ticket".

use std::rc::Rc;

use serde_json::Value;

use super::property::{Offer, Property};
use crate::{
    facts::{FactType, Reading},
    text::{
        canonical,
        lexicon::{BEFORE_VERBS, contains},
    },
};

/// Returns the participles among the values in `enum` whose verbs the message asks for.
pub(super) fn participles(property: &Property, reading: &Reading) -> Vec<Offer> {
    let mut offers = Vec::new();
    for choice in &property.choices {
        let Some(form) = choice.as_str().map(canonical) else { continue };
        for end in ["ed", "d"] {
            let Some(verb) = form.strip_suffix(end).filter(|_| form.ends_with("ed")) else {
                continue;
            };
            let found = reading.find(&[verb.to_owned()]).into_iter();
            let found =
                found.filter(|(range, is_negated)| !is_negated && asks(reading, range.start));
            offers.extend(found.map(|(range, _)| {
                let fact = reading.fact(FactType::Choice, range, form.clone());
                Offer { fact: Rc::new(fact), choice: Some(Value::clone(choice)) }
            }));
        }
    }
    offers
}

/// Returns `true` if a verb at a position may be the first of a request.
fn asks(reading: &Reading, at: usize) -> bool {
    let before = reading.text[..at].trim_end();
    let last = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    last.is_empty() || contains(BEFORE_VERBS, &canonical(last))
}
