//! Whether a message says what a boolean property says.

use std::slice;

use super::property::Property;
use crate::{
    facts::Reading,
    text::lexicon::{BOOLEAN_FILLERS, contains},
};

/// Returns whether the words of a boolean property stand in a message, unnegated or negated.
pub(super) fn stated_boolean(property: &Property, reading: &Reading) -> Option<bool> {
    let words = property.words.iter().filter(|word| !contains(BOOLEAN_FILLERS, word));
    let words: Vec<_> = words.cloned().collect();
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
        .map(|(_, is_negated)| !is_negated);
    said.or_else(|| words.iter().any(|word| is_denied(word, reading)).then_some(false))
}

/// Returns `true` if a message denies what a participle says: "no damage" and "undamaged" for "damaged".
fn is_denied(participle: &str, reading: &Reading) -> bool {
    let Some(verb) = participle.strip_suffix('d').filter(|verb| verb.ends_with('e')) else {
        return false;
    };
    let nouns = [verb, &verb[..verb.len() - 1]].map(str::to_owned);
    let mut denied = nouns.iter().flat_map(|noun| reading.find(slice::from_ref(noun)));
    denied.any(|(_, is_negated)| is_negated)
        || !reading.find(&[format!("un{participle}")]).is_empty()
}
