//! The words beside which the values of a property stand.

use crate::text::lexicon::{NO_OWN_WORDS, contains, is_generic};

/// Words of properties, in canonical form, each with another for the same.
const RELATED: [(&str, &str); 6] = [
    ("limit", "top"),
    ("username", "user"),
    ("km", "kilometer"),
    ("km", "kilometre"),
    ("kg", "kilogram"),
    ("kg", "kilo"),
];

/// Returns `true` if two canonical words share their stem.
pub(super) fn share_stem(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    // Short words keep their plural s.
    let short = short.trim_end_matches('s');
    let common = short.bytes().zip(long.bytes()).take_while(|(left, right)| left == right).count();
    match common {
        0..3 => false,
        3 => short.len() == 3 && long[common..].starts_with("room"),
        4 => short.len() == 4,
        _ => short.len() - common < 4,
    }
}

/// Returns the words beside which the facts of a property with these words stand.
pub(super) fn own_words(words: &[String]) -> Vec<String> {
    let is_own = |word: &&String| !is_generic(word) && !contains(NO_OWN_WORDS, word);
    let related = RELATED.iter().filter(|(own, _)| words.iter().any(|word| word == own));
    let related = related.map(|(_, word)| (*word).to_owned());
    words.iter().filter(is_own).cloned().chain(related).collect()
}
