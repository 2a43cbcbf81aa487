//! Recognises files of tools.

use std::path::Path;

use crate::base::{
    files,
    yaml::{self, Node, Value},
};

/// Returns `true` if a file has a list `tools` at the top level and is no Kubernetes resource.
pub(crate) fn is_tools_file(file: &Path) -> bool {
    files::read_regular(file).is_ok_and(|text| has_tools(&text))
}

fn has_tools(text: &str) -> bool {
    let is_list = |node: &Node| matches!(node.value, Value::List(_));
    let is_tools = |root: &Node| {
        let is_resource = ["apiVersion", "kind"].iter().any(|key| root.field(key).is_some());
        !is_resource && root.field("tools").is_some_and(is_list)
    };
    // Parsing is much slower than searching.
    text.contains("tools")
        && match yaml::parse_own(text) {
            Ok(tree) => tree.is_some_and(|tree| is_tools(&tree.root)),
            // A file with mistakes in its syntax.
            Err(_) => text.lines().any(|line| line.starts_with("tools:")),
        }
}
