//! Recognises the format of a file by the keys at its top level.

use super::{
    node::{Node, Tree, Value},
    parse::parse_own,
};

/// The top level of a file.
pub enum TopLevel<'t> {
    /// The document.
    Tree(Tree),
    /// The text of a file with mistakes in its syntax.
    Text(&'t str),
}

impl<'t> TopLevel<'t> {
    /// Reads a text. Returns `None` if the top level can have none of the keys.
    pub fn with_one_of(keys: &[&str], text: &'t str) -> Option<Self> {
        // Parsing is much slower than searching.
        if !keys.iter().any(|key| text.contains(key)) {
            return None;
        }
        match parse_own(text) {
            Ok(tree) => tree.map(Self::Tree),
            Err(_) => Some(Self::Text(text)),
        }
    }

    /// Returns `true` if there is a key.
    pub fn has(&self, key: &str) -> bool {
        self.has_value(key, |_| true)
    }

    /// Returns `true` if there is a key whose value is a list, as far as the syntax tells.
    pub fn has_list(&self, key: &str) -> bool {
        self.has_value(key, |node| matches!(node.value, Value::List(_)))
    }

    fn has_value(&self, key: &str, fits: impl Fn(&Node) -> bool) -> bool {
        match self {
            Self::Tree(tree) => match &tree.root.value {
                Value::Map(entries) => entries.get(key).is_some_and(|entry| fits(&entry.node)),
                _ => false,
            },
            Self::Text(text) => {
                let starts =
                    |line: &str| line.strip_prefix(key).is_some_and(|it| it.starts_with(':'));
                text.lines().any(starts)
            }
        }
    }

    /// Returns `true` if this is a resource of Kubernetes, which can have any other keys.
    pub fn is_resource(&self) -> bool {
        self.has("apiVersion") || self.has("kind")
    }
}
