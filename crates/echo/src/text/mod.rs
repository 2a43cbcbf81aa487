//! Reads text: words and their canonical forms, sentences, quotes and addresses.
//!
//! Tool names, property names and messages are all read here, so that a word is the same word
//! everywhere.

mod addresses;
mod canonical;
mod names;
mod quotes;
mod sentences;
mod word_map;
mod words;

pub(crate) use addresses::{AddressKind, addresses};
pub use canonical::canonical;
pub(crate) use canonical::{
    canonicalize, is_generic, is_number, may_have_ending, passes_on_negation,
};
pub(crate) use names::{canonical_words, lower_case_words};
pub(crate) use quotes::quotes;
pub(crate) use sentences::{ends_with_title, sentence_around, sentences};
pub(crate) use word_map::{WordMap, bucket, hash_word};
pub(crate) use words::is_caseless;
pub use words::{Word, words};
