//! The error type for invalid steps.

use std::{error::Error, fmt};

use mynah_core::base::reader_message::reason;
use serde_path_to_error::{Path, Segment};

use super::quoted::quoted;

/// The error returned for an invalid chain, step or rule. Its message includes the location of the
/// problem, such as `step 2, item 1, text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepError {
    /// Where the document is, such as `chain in message 3`.
    context: String,
    /// Path to the invalid value in the JSON document, innermost element first.
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
    /// Creates an error about the element that is being checked.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            context: String::new(),
            reversed_path: Vec::new(),
            is_about_key: false,
            message: message.into(),
        }
    }

    /// Creates the error of a value that serde rejects.
    pub(crate) fn of_reader(path: &Path, error: &serde_json::Error, mapping: &str) -> Self {
        let text = error.to_string();
        let mut segments: Vec<_> = path.iter().filter_map(PathSegment::of_reader).collect();
        // serde reports a repeated key at its object.
        let repeated = text.strip_prefix("duplicate field `").and_then(|it| it.split_once('`'));
        segments.extend(repeated.map(|(key, _)| PathSegment::Key(key.to_owned())));
        segments.reverse();
        let is_about_key = repeated.is_some() || text.starts_with("unknown field ");
        let message = match reason(&text, mapping) {
            // Valid JSON that cannot be read has lone surrogates or numbers out of range.
            message if error.is_syntax() => format!("cannot be parsed: {message}"),
            message => message,
        };
        Self { reversed_path: segments, is_about_key, ..Self::new(message) }
    }

    /// Adds the context of the document to the location.
    pub(crate) fn within(self, element: impl fmt::Display) -> Self {
        let context = match self.context.as_str() {
            "" => element.to_string(),
            inner => format!("{element}, {inner}"),
        };
        Self { context, ..self }
    }

    /// Prepends the key of an object to the path.
    pub(crate) fn within_key(mut self, key: &str) -> Self {
        self.reversed_path.push(PathSegment::Key(key.to_owned()));
        self
    }

    /// Prepends the item of a list, which is the value of `key`, to the path.
    pub(crate) fn within_item(self, key: &str, index: usize) -> Self {
        self.within_index(index).within_key(key)
    }

    /// Prepends the item of the outermost list to the path.
    pub(crate) fn within_index(mut self, index: usize) -> Self {
        self.reversed_path.push(PathSegment::Index(index));
        self
    }

    /// Returns the path to the invalid value in the JSON document, outermost element first.
    pub(crate) fn path(&self) -> impl Iterator<Item = &PathSegment> {
        self.reversed_path.iter().rev()
    }

    /// Returns `true` if the key at the end of the path is invalid, not its value.
    pub(crate) fn is_about_key(&self) -> bool {
        self.is_about_key
    }

    /// Returns the key that is invalid, if the error is about a key.
    pub(super) fn key(&self) -> Option<&str> {
        match self.reversed_path.first() {
            Some(PathSegment::Key(key)) if self.is_about_key => Some(key),
            _ => None,
        }
    }

    /// Returns what is wrong, without the location.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the error with another message.
    pub(super) fn with_message(self, message: String) -> Self {
        Self { message, ..self }
    }

    /// Returns the location for readers, outermost element first.
    fn location(&self) -> Vec<String> {
        let mut location = Vec::new();
        location.extend((!self.context.is_empty()).then(|| self.context.clone()));
        let shown = &self.reversed_path[usize::from(self.is_about_key)..];
        let mut segments = shown.iter().rev().peekable();
        while let Some(segment) = segments.next() {
            let (list, index) = match (segment, segments.peek()) {
                (PathSegment::Key(key), Some(PathSegment::Index(index))) => (&**key, *index),
                (PathSegment::Key(key), _) => {
                    location.push(shown_key(key));
                    continue;
                }
                (PathSegment::Index(index), _) => ("faults", *index),
            };
            if matches!(segment, PathSegment::Key(_)) {
                segments.next();
            }
            location.push(format!("{} {}", item_of(list), index + 1));
        }
        location
    }
}

impl PathSegment {
    fn of_reader(segment: &Segment) -> Option<Self> {
        match segment {
            Segment::Seq { index } => Some(Self::Index(*index)),
            Segment::Map { key } => Some(Self::Key(key.clone())),
            Segment::Enum { .. } | Segment::Unknown => None,
        }
    }
}

/// Returns what an item of the list with this key is called.
fn item_of(list: &str) -> &str {
    match list {
        "instruction_chain" | "chain" | "sequence" => "step",
        "messages" | "respond" => "item",
        "tool_call" => "call",
        "faults" => "fault",
        "surfaces" => "surface",
        other => other,
    }
}

/// Quotes a key if any text may be a key in its place.
fn shown_key(key: &str) -> String {
    let is_name = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if is_name && key.len() > 1 { key.to_owned() } else { quoted(key) }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location().join(", ").as_str() {
            "" => f.write_str(&self.message),
            location => write!(f, "{location}: {}", self.message),
        }
    }
}

impl Error for StepError {}
