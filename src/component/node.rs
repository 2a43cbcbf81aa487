//! A document as a tree: what is written, and where it stands.

use std::collections::BTreeMap;

use super::{
    Place,
    report::Remark,
    scalar::{Scalar, resolve},
};

/// A document.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) root: Node,
    /// Keys that stand twice in one mapping, of which the last counts.
    pub(super) repeated: Vec<Remark>,
}

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) value: Value,
}

/// A value as it is written.
#[derive(Debug)]
pub(super) enum Value {
    /// A scalar without quotes, which may mean a number, a boolean or null.
    Plain(String),
    /// A scalar that is text: quoted, or in a block.
    Text(String),
    List(Vec<Node>),
    Map(BTreeMap<String, Entry>),
}

/// What stands under a key.
#[derive(Debug)]
pub(super) struct Entry {
    /// Where the key stands.
    pub(super) place: Place,
    pub(super) node: Node,
}

impl Node {
    /// Whether this says nothing at all.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Plain(text) if resolve(text) == Scalar::Null)
    }

    /// What stands under `key`, whose case does not matter, unless it is null.
    pub(super) fn field(&self, key: &str) -> Option<&Self> {
        let Value::Map(entries) = &self.value else { return None };
        let similar = || entries.iter().find(|(written, _)| written.eq_ignore_ascii_case(key));
        let (_, entry) = entries.get_key_value(key).or_else(similar)?;
        Some(&entry.node).filter(|node| !node.is_null())
    }
}
