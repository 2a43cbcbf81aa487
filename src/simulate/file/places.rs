//! The places of values in a file.

use crate::base::{
    diagnostics::Place,
    yaml::{self, Node, Tree, Value},
};

/// The places of the values in a file.
#[derive(Debug)]
pub(in crate::simulate) struct Places(Option<Tree>);

impl Places {
    /// Reads the places in a file that is valid YAML.
    pub(in crate::simulate) fn new(text: &str) -> Self {
        Self(yaml::parse(text, 1).ok().flatten())
    }

    /// Returns the place of the value at a path such as `scenarios/0/customer`, or of the innermost
    /// value on the path that exists.
    pub(in crate::simulate) fn at(&self, path: &str) -> Place {
        let Some(Tree { root, .. }) = &self.0 else { return Place { line: 1, column: 1 } };
        let mut node = root;
        for key in path.split('/') {
            let Some(next) = child(node, key) else { break };
            node = next;
        }
        node.place
    }
}

fn child<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        Value::List(nodes) => nodes.get(key.parse::<usize>().ok()?),
        _ => node.field(key),
    }
}
