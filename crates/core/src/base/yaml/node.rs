//! A YAML document as a tree of values with places.

use std::{collections::BTreeMap, ops::Add};

use super::{
    scalar::{Scalar, resolve},
    size::Size,
};
use crate::base::diagnostics::{Diagnostic, Place};

/// A document.
#[derive(Debug)]
pub struct Tree {
    /// The whole document.
    pub root: Node,
    /// An error for every repeated key in a mapping. The tree has the key's last value.
    pub repeated_keys: Vec<Diagnostic>,
}

/// A value and its place.
#[derive(Debug)]
pub struct Node {
    /// Where the value starts.
    pub place: Place,
    /// The value.
    pub value: Value,
}

/// A value as written.
#[derive(Debug)]
pub enum Value {
    /// A scalar without quotes, which may be a number, a boolean or null.
    Plain(String),
    /// A scalar that is always text: quoted, in a block, or tagged as text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping. Keys are unique.
    Map(BTreeMap<String, Entry>),
}

/// An entry of a mapping.
#[derive(Debug)]
pub struct Entry {
    /// The place of the key.
    pub place: Place,
    /// The value of the entry.
    pub node: Node,
}

impl Node {
    /// Returns `true` if the value is an unquoted null.
    pub fn is_null(&self) -> bool {
        self.plain() == Some(Scalar::Null)
    }

    /// Returns the value if it is an unquoted boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.plain()? {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn plain(&self) -> Option<Scalar<'_>> {
        self.unquoted().map(resolve)
    }

    /// Returns a scalar that is written without quotes.
    pub fn unquoted(&self) -> Option<&str> {
        match &self.value {
            Value::Plain(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a scalar as written, without quotes.
    pub fn as_written(&self) -> Option<&str> {
        match &self.value {
            Value::Plain(text) | Value::Text(text) => Some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Returns the size of the value.
    pub fn size(&self) -> Size {
        let scalar = |text: &str| Size { values: 1, text: text.len() };
        match &self.value {
            Value::Plain(text) | Value::Text(text) => scalar(text),
            Value::List(nodes) => nodes.iter().map(Self::size).fold(scalar(""), Size::add),
            Value::Map(entries) => {
                let sizes = entries.iter().map(|(key, entry)| scalar(key) + entry.node.size());
                sizes.fold(scalar(""), Size::add)
            }
        }
    }

    /// Returns the value of `key`, unless the value is null. The case of keys does not matter, but
    /// an exact match takes precedence.
    pub fn field(&self, key: &str) -> Option<&Self> {
        let Value::Map(entries) = &self.value else { return None };
        let in_any_case = || entries.iter().find(|(written, _)| written.eq_ignore_ascii_case(key));
        let (_, entry) = entries.get_key_value(key).or_else(in_any_case)?;
        Some(&entry.node).filter(|node| !node.is_null())
    }
}
