//! Deserializes documents in mynah's own formats.
//!
//! The tree has a [deserializer](super::deserialize) of its own, which takes less code for each type than that
//! of the YAML crate.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::{
    deserialize::Reader,
    node::{Node, Value},
    parse::{parse_own, with_hint},
};
use crate::base::{
    diagnostics::{Diagnostic, Place},
    reader_message::reworded,
};

/// Maximum number of entries of a document whose errors are reported.
const MAX_ERRORS: usize = 20;

/// Deserializes a YAML or JSON text that consists of a single document.
///
/// # Errors
///
/// Fails with at least one error, without a file, and with one for each entry of the lists at the top level
/// that is invalid, up to a limit.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Vec<Diagnostic>> {
    let mut root = own_root(text).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    loop {
        let error = match T::deserialize(Reader(&root)) {
            Ok(value) if errors.is_empty() => return Ok(value),
            Ok(_) => return Err(errors),
            Err(error) => error,
        };
        let (message, place) = error.into_parts();
        let place = place.unwrap_or(root.place);
        let is_removed = remove_entry(&mut root, place);
        // Without its invalid entries, a document may have errors that only the removal causes.
        if is_removed || errors.is_empty() {
            let error = Diagnostic::error(reworded(&message, "a mapping"));
            errors.push(with_hint(error.at(place), text, 1));
        }
        if !is_removed || errors.len() == MAX_ERRORS {
            return Err(errors);
        }
    }
}

/// Removes the entry with this place from a list at the top level, if it belongs to one.
fn remove_entry(root: &mut Node, place: Place) -> bool {
    let Value::Map(keys) = &mut root.value else { return false };
    let begun = keys.values_mut().filter(|key| key.place <= place);
    let Some(key) = begun.max_by_key(|key| key.place) else { return false };
    let Value::List(entries) = &mut key.node.value else { return false };
    // An alias has the place of its anchor.
    let begun = entries.iter().enumerate().filter(|(_, entry)| entry.place <= place);
    let at = begun.max_by_key(|(_, entry)| entry.place).map(|(at, _)| at);
    at.map(|at| entries.remove(at)).is_some()
}

/// Parses a document in one of mynah's own formats. A document without content is an empty mapping.
fn own_root(text: &str) -> Result<Node, Diagnostic> {
    let start = Place { line: 1, column: 1 };
    let Some(tree) = parse_own(text)? else {
        return Ok(Node { place: start, value: Value::Map(BTreeMap::new()) });
    };
    match tree.repeated_keys.into_iter().next() {
        Some(repeated) => Err(repeated),
        None => Ok(tree.root),
    }
}
