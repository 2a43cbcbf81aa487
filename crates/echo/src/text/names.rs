//! Splits the names of tools and properties into words.

use super::{canonical::canonical, words::words};

/// Returns the canonical words of a name.
pub(crate) fn canonical_words(name: &str) -> Vec<String> {
    words(name).map(|word| canonical(&name[word.range])).collect()
}

/// Returns the words of a name in lower case.
pub(crate) fn lower_case_words(name: &str) -> Vec<String> {
    words(name).map(|word| name[word.range].to_lowercase()).collect()
}
