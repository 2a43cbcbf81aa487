//! Reads text: words and their canonical forms, sentences, quotes and addresses.
//!
//! Tool names, property names and messages are all read here, so that a word is the same word
//! everywhere. `lexicon` has all lists of words.

mod addresses;
mod canonical;
mod identifiers;
pub(crate) mod lexicon;
mod names;
mod quotes;
mod sentence;
mod sentences;
mod word;
mod words;

pub(crate) use addresses::{Address, AddressKind};
pub use canonical::canonical;
pub(crate) use canonical::{canonicalize, stem};
pub(crate) use names::{canonical_words, lower_case_words};
pub(crate) use quotes::quotes;
pub(crate) use sentence::Sentence;
pub(crate) use sentences::{ends_with_title, sentence_around, sentences};
pub(crate) use word::Word;
pub use words::{WordRange, words};
pub(crate) use words::{is_caseless, last_word};
