//! Reads the values of a file and collects all errors.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use mynah_core::base::{
    diagnostics::{Diagnostic, Place},
    template::Templates,
    yaml::{Entry, Node, PlacedJson, Value},
};

use crate::steps::STEP_KEYS;

/// The key of an answer.
pub(super) const RESPOND: &str = "respond";

/// Collects the errors in a file.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// What counters and reports call the file.
    pub(super) source: Arc<str>,
    /// Whether there are also rules in other files.
    pub(super) is_one_of_several: bool,
    /// The element that is being read, such as `rule 2`.
    pub(super) within: String,
    /// The templates so far.
    pub(super) templates: Templates,
    /// The names of the texts that the conditions of the current rule capture. `None` if the conditions
    /// are invalid.
    pub(super) captures: Option<BTreeSet<String>>,
    /// The line of each rule's name.
    pub(super) names: BTreeMap<String, usize>,
    pub(super) errors: Vec<Diagnostic>,
}

/// A mapping.
pub(super) struct Fields<'a> {
    pub(super) place: Place,
    /// Whether there are unknown keys, which have errors.
    pub(super) has_unknown: bool,
    entries: &'a BTreeMap<String, Entry>,
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

    /// Adds an error that was found by another reader.
    pub(super) fn add(&mut self, error: Diagnostic, default: Place) {
        self.error(error.place.unwrap_or(default), error.message);
    }

    /// Returns the fields of a mapping. Unknown keys are errors.
    pub(super) fn fields<'a>(&mut self, node: &'a Node, known: &[&str]) -> Option<Fields<'a>> {
        let Value::Map(entries) = &node.value else {
            let known = known.join(", ");
            let message =
                format!("must be a mapping with keys such as {known}, not {}", kind(node));
            self.error(node.place, message);
            return None;
        };
        let unknown = entries.iter().filter(|(key, _)| !known.contains(&key.as_str()));
        for (key, entry) in unknown {
            let hint = match known.contains(&RESPOND) && STEP_KEYS.contains(&key.as_str()) {
                true => format!("write it in the answer: {RESPOND}: {{messages: […], {key}: …}}"),
                false => format!("expected one of: {}", known.join(", ")),
            };
            self.error(entry.place, format!("unknown key {key:?}; {hint}"));
        }
        let has_unknown = entries.keys().any(|key| !known.contains(&key.as_str()));
        Some(Fields { place: node.place, has_unknown, entries })
    }

    /// Returns the items of a list that is not empty.
    pub(super) fn list<'a>(&mut self, key: &str, node: &'a Node) -> Option<&'a [Node]> {
        match &node.value {
            Value::List(nodes) if !nodes.is_empty() => return Some(nodes),
            Value::List(_) => self.error(node.place, format!("{key} must not be empty")),
            _ => self.error(node.place, format!("{key} must be a list, not {}", kind(node))),
        }
        None
    }

    /// Parses an optional value.
    pub(super) fn scalar<T>(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        expected: &str,
        parse: impl FnOnce(&Node) -> Option<T>,
    ) -> Option<T> {
        let node = fields.get(key)?;
        let parsed = parse(node);
        if parsed.is_none() {
            let found = match &node.value {
                Value::Plain(_) | Value::Text(_) => PlacedJson::new(node).into_text(),
                Value::List(_) | Value::Map(_) => kind(node).to_owned(),
            };
            self.error(node.place, format!("{key} must be {expected}, not {found}"));
        }
        parsed
    }
}

impl<'a> Fields<'a> {
    /// Returns the value of a key, unless it is null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.get(key).map(|entry| &entry.node).filter(|node| !node.is_null())
    }
}

/// Names the type of a value, for messages.
pub(super) fn kind(node: &Node) -> &'static str {
    match &node.value {
        Value::List(_) => "a list",
        Value::Map(_) => "a mapping",
        Value::Plain(_) if node.is_null() => "null",
        Value::Plain(_) | Value::Text(_) => "a scalar",
    }
}
