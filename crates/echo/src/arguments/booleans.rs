//! Whether a message says what a boolean property says.

use std::{ops::Range, slice};

use super::property::Property;
use crate::{
    facts::Reading,
    text::{
        canonical_words, last_word,
        lexicon::{BOOLEAN_FILLERS, contains, is_verb},
    },
};

/// The words of a description of what is true that need not be said, in canonical form.
const TRUTH_FILLERS: &str =
    "it they he she is are was were has have been be the a an this that not to should can";

/// Returns whether the words of a boolean property stand in a message, unnegated or negated.
pub(super) fn stated_boolean(property: &Property, reading: &Reading) -> Option<bool> {
    let words = property.words.iter().filter(|word| !contains(BOOLEAN_FILLERS, word));
    let words: Vec<_> = words.cloned().collect();
    // "automatic renewal", "renew it automatically" for `auto_renew`
    let automatic = || match words.as_slice() {
        [auto, verb] if auto == "auto" => {
            let forms = [["automatic", verb], [verb, "automaticalli"], ["automaticalli", verb]];
            forms.into_iter().find_map(|it| reading.find_apart(&it.map(str::to_owned), 1))
        }
        _ => None,
    };
    let adverb = || match words.as_slice() {
        // "gracefully", "automatically"
        [word] => {
            // "without notifying her"
            let verb = word.strip_suffix('i').map_or(word.clone(), |start| format!("{start}y"));
            let forms = [format!("{word}li"), format!("{word}alli"), format!("{verb}ing")];
            forms.into_iter().find_map(|form| reading.find_apart(&[form], 0))
        }
        _ => None,
    };
    // "kept the original packaging" for `packaging_kept`
    let reversed = || match words.as_slice() {
        [first, last] if last.ends_with(['d', 't']) => {
            reading.find_apart(&[last.clone(), first.clone()], 1)
        }
        _ => None,
    };
    let said = reading
        .find_apart(&words, 0)
        .or_else(reversed)
        .or_else(adverb)
        .or_else(automatic)
        .map(|(_, is_negated)| !is_negated);
    said.or_else(|| words.iter().any(|word| is_denied(word, reading)).then_some(false))
        .or_else(|| thing_said(&words, reading))
        .or_else(|| {
            property.shown.truths.iter().find_map(|(value, phrase)| says(phrase, *value, reading))
        })
}

/// Returns what a message says in the words that the description gives for a value: "false if it is sold out".
fn says(phrase: &str, value: bool, reading: &Reading) -> Option<bool> {
    let words: Vec<_> =
        canonical_words(phrase).into_iter().filter(|it| !contains(TRUTH_FILLERS, it)).collect();
    let (_, is_negated) = reading.find_apart(&words, 0)?;
    Some(value != is_negated)
}

/// Returns whether a message wants the thing of a verb: "send me a replacement" for `order_replacement`.
fn thing_said(words: &[String], reading: &Reading) -> Option<bool> {
    let [verb, thing] = words else { return None };
    let is_led =
        |range: &Range<usize>| contains("a an another", last_word(&reading.text[..range.start]));
    let mut things = reading.find(slice::from_ref(thing)).into_iter();
    let is_thing = |it: &(Range<usize>, bool)| is_verb(verb) && (it.1 || is_led(&it.0));
    things.find(is_thing).map(|(_, is_negated)| !is_negated)
}

/// Returns `true` if a message denies what a word says: "no damage" and "undamaged" for "damaged".
fn is_denied(participle: &str, reading: &Reading) -> bool {
    if !reading.find(&[format!("un{participle}")]).is_empty() {
        return true;
    }
    let Some(verb) = participle.strip_suffix('d').filter(|verb| verb.ends_with('e')) else {
        return false;
    };
    let start = &verb[..verb.len() - 1];
    let nouns = [verb.to_owned(), start.to_owned(), format!("{start}ance")];
    let mut denied = nouns.iter().flat_map(|noun| reading.find(slice::from_ref(noun)));
    denied.any(|(_, is_negated)| is_negated)
}
