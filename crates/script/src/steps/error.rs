//! The error type for invalid steps.

use std::{error::Error, fmt};

use super::quoted::quoted;

/// The error returned for an invalid chain, step or rule. Its message includes the location of the
/// problem, such as `step 2, item 1, text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepError {
    /// Path to the invalid element for readers, outermost element first. Empty for the outermost
    /// element itself.
    location: String,
    /// The same path in the JSON document, innermost element first.
    reversed_path: Vec<PathSegment>,
    /// Whether the key at the end of the path is invalid, not its value.
    is_about_key: bool,
    message: String,
}

/// A step on the path to a value in a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathSegment {
    /// A key of an object.
    Key(String),
    /// An index of a list, starting at 0.
    Index(usize),
}

impl StepError {
    /// Creates an error about the element that is being parsed.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            location: String::new(),
            reversed_path: Vec::new(),
            is_about_key: false,
            message: message.into(),
        }
    }

    /// Creates an error about a key of the element that is being parsed.
    pub(crate) fn about_key(key: impl Into<String>, message: impl Into<String>) -> Self {
        let reversed_path = vec![PathSegment::Key(key.into())];
        Self { reversed_path, is_about_key: true, ..Self::new(message) }
    }

    /// Adds the context of the document to the location.
    pub(crate) fn within(self, element: impl fmt::Display) -> Self {
        let location = match self.location.as_str() {
            "" => element.to_string(),
            inner => format!("{element}, {inner}"),
        };
        Self { location, ..self }
    }

    /// Prepends the key of an object to the location.
    pub(crate) fn within_key(mut self, key: &str) -> Self {
        self.reversed_path.push(PathSegment::Key(key.to_owned()));
        self.within(key)
    }

    /// Prepends an arbitrary key of an object to the location.
    pub(crate) fn within_member(mut self, key: &str) -> Self {
        self.reversed_path.push(PathSegment::Key(key.to_owned()));
        self.within(quoted(key))
    }

    /// Prepends the item of a list to the location. The list is the value of `key`. In the location,
    /// `item` and a number identify the item.
    pub(crate) fn within_item(mut self, key: &str, item: &str, index: usize) -> Self {
        let path = [PathSegment::Index(index), PathSegment::Key(key.to_owned())];
        self.reversed_path.extend(path);
        self.within(format_args!("{item} {}", index + 1))
    }

    /// Prepends the item of the outermost list to the location.
    pub(crate) fn within_index(mut self, item: &str, index: usize) -> Self {
        self.reversed_path.push(PathSegment::Index(index));
        self.within(format_args!("{item} {}", index + 1))
    }

    /// Returns the path to the invalid value in the JSON document, outermost element first.
    pub(crate) fn path(&self) -> impl Iterator<Item = &PathSegment> {
        self.reversed_path.iter().rev()
    }

    /// Returns `true` if the key at the end of the path is invalid, not its value.
    pub(crate) fn is_about_key(&self) -> bool {
        self.is_about_key
    }

    /// Returns what is wrong, without the location.
    #[cfg(test)]
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location.as_str() {
            "" => f.write_str(&self.message),
            location => write!(f, "{location}: {}", self.message),
        }
    }
}

impl Error for StepError {}
