//! Reads text: words and their canonical forms, sentences, quotes and addresses.
//!
//! Tool names, property names and messages are all read here, so that a word is the same word
//! everywhere.

mod addresses;
mod canonical;
mod names;
mod quotes;
mod sentences;
mod words;

pub(crate) use addresses::{AddressKind, addresses};
pub(crate) use canonical::{canonical, canonicalize, is_generic, is_number};
pub(crate) use names::{canonical_words, lower_case_words};
pub(crate) use quotes::quotes;
pub(crate) use sentences::{sentence_around, sentences};
pub(crate) use words::{Word, words};
