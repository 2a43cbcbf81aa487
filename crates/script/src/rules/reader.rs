//! Collects the errors in a file, with their places.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
    sync::Arc,
};

use mynah_core::base::{
    diagnostics::{Diagnostic, Place},
    template::Templates,
    yaml::{Entry, Node, Value},
};
use serde::Deserialize;

use super::{matching::request::Normalizer, source::Part};
use crate::steps::{MESSAGES, PathSegment, RESPOND, StepError};

/// Collects the errors in a file.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// What counters and reports call the file.
    pub(super) source: Arc<str>,
    /// Whether the text is that of a file.
    pub(super) is_file: bool,
    /// The folder of the file.
    pub(super) folder: Option<PathBuf>,
    /// The texts of files that are not written yet.
    pub(super) texts: BTreeMap<String, String>,
    /// Whether there are also rules in other files.
    pub(super) is_one_of_several: bool,
    /// The element that is being read, such as `rule 2`.
    pub(super) within: String,
    /// The templates so far.
    pub(super) templates: Templates,
    /// The names of the texts that the conditions of the current rule capture. `None` if the conditions
    /// are invalid.
    pub(super) captures: Option<BTreeSet<String>>,
    /// The rules so far.
    pub(super) named: Named,
    /// The normalization that the file states.
    pub(super) normalizer: Option<Arc<Normalizer>>,
    pub(super) errors: Vec<Diagnostic>,
}

/// The rules in the texts with one source. Their numbers continue, and their names are unique.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// How many rules there are in earlier texts.
    pub(super) before: usize,
    /// The line of each rule's name.
    pub(super) lines: BTreeMap<String, usize>,
}

impl Reader {
    /// Adds an error in the current element.
    pub(super) fn error(&mut self, place: Place, message: impl fmt::Display) {
        let message = match self.within.as_str() {
            "" => message.to_string(),
            within => format!("{within}: {message}"),
        };
        self.errors.push(Diagnostic::error(message).at(place));
    }

    /// Returns a value inside of a node. Adds its error, if it has one.
    pub(super) fn value<T>(&mut self, node: &Node, value: Result<T, StepError>) -> Option<T> {
        let add = |error: StepError| self.error(place(node, &error), error.with_hint());
        value.map_err(add).ok()
    }

    /// Reads a part of a node.
    pub(super) fn part<'a, T: Deserialize<'a>>(
        &mut self,
        node: &Node,
        key: &str,
        part: Option<Part<'a, T>>,
    ) -> Option<T> {
        let read = part?.read().map_err(|error| error.within_key(key));
        self.value(node, read)
    }
}

/// Returns the place of the invalid part of a node.
fn place(node: &Node, error: &StepError) -> Place {
    let mut path: Vec<_> = error.path().collect();
    let key = if error.is_about_key() { path.pop() } else { None };
    let mut node = node;
    for segment in path {
        node = match (&node.value, segment) {
            (Value::Map(_), PathSegment::Key(key)) => entry(node, key).map(|entry| &entry.node),
            (Value::List(nodes), PathSegment::Index(index)) => nodes.get(*index),
            // A text or a list in place of a step.
            _ => None,
        }
        .unwrap_or(node);
    }
    match key {
        Some(PathSegment::Key(key)) => entry(node, key).map_or(node.place, |entry| entry.place),
        _ => node.place,
    }
}

/// Returns the entry of a mapping. The items of a step have two names.
fn entry<'a>(node: &'a Node, key: &str) -> Option<&'a Entry> {
    let Value::Map(entries) = &node.value else { return None };
    let items = || entries.get(RESPOND).filter(|_| key == MESSAGES);
    entries.get(key).or_else(items)
}
