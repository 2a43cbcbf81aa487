//! Splits the names of tools and properties into words.

use crate::provider::echo::text::{canonical, words};

/// Returns the canonical words of a name.
pub(super) fn canonical_words(name: &str) -> Vec<String> {
    words(name).map(|word| canonical(&name[word.range])).collect()
}

/// Returns the words of a name in lower case.
pub(super) fn lower_case_words(name: &str) -> Vec<String> {
    words(name).map(|word| name[word.range].to_lowercase()).collect()
}
