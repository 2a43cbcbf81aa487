//! The places of values in a file.

use std::fmt::Write;

use mynah_core::base::{
    diagnostics::Place,
    yaml::{self, Node, Tree, Value},
};

/// The places of the values in a file.
#[derive(Debug)]
pub(crate) struct Places(Option<Tree>);

impl Places {
    /// Reads the places in a file that is valid YAML.
    pub(crate) fn new(text: &str) -> Self {
        Self(yaml::parse_own(text).ok().flatten())
    }

    /// Returns the place of the value at a path such as `scenarios/0/customer`, or of the innermost
    /// value on the path that exists.
    pub(crate) fn at(&self, path: &str) -> Place {
        let Some(Tree { root, .. }) = &self.0 else { return Place { line: 1, column: 1 } };
        let mut node = root;
        for key in path.split('/') {
            let Some(next) = child(node, key) else { break };
            node = next;
        }
        node.place
    }

    /// Returns the values of the file in a form in which the order of keys, comments and the layout do
    /// not count, without the values of some keys. `None` if they are not known.
    pub(crate) fn canonical(&self, without: &[&str]) -> Option<String> {
        let Some(Tree { root: Node { value: Value::Map(entries), .. }, .. }) = &self.0 else {
            return None;
        };
        let mut text = String::new();
        for (key, entry) in entries.iter().filter(|(key, _)| !without.contains(&key.as_str())) {
            let _ = write!(text, "{key:?}:");
            write_node(&entry.node, &mut text);
        }
        Some(text)
    }
}

/// Writes a value. Different values have different texts.
fn write_node(node: &Node, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = match &node.value {
        Value::Plain(plain) => write!(text, "~{plain:?},"),
        Value::Text(quoted) => write!(text, "{quoted:?},"),
        Value::List(nodes) => {
            text.push('[');
            nodes.iter().for_each(|node| write_node(node, text));
            write!(text, "],")
        }
        Value::Map(entries) => {
            text.push('{');
            for (key, entry) in entries {
                let _ = write!(text, "{key:?}:");
                write_node(&entry.node, text);
            }
            write!(text, "}},")
        }
    };
}

fn child<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        Value::List(nodes) => nodes.get(key.parse::<usize>().ok()?),
        _ => node.field(key),
    }
}
