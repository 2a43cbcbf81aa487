//! Reads the fields of a resource.

use crate::{
    base::{
        diagnostics::Place,
        yaml::{Node, Value},
    },
    component::report::Report,
};

/// A text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) text: String,
}

/// Reads fields and reports those that have the wrong type.
#[derive(Default)]
pub(super) struct FieldReader {
    pub(super) report: Report,
}

impl FieldReader {
    /// Reads a text. Empty text counts as absent.
    pub(super) fn text(&mut self, path: &str, node: Option<&Node>) -> Option<Located> {
        let node = node?;
        if node.as_written().is_none() {
            let message = format!("{path} must be text, not a list or a mapping");
            self.report.error(node.place, message);
        }
        self.value(node).filter(|value| !value.text.is_empty())
    }

    /// Reads a value of any type as text.
    pub(super) fn value(&mut self, node: &Node) -> Option<Located> {
        let text = node.to_text().map_err(|error| self.report.add(error)).ok()?;
        Some(Located { place: node.place, text })
    }

    /// Reads a boolean. If the field is absent, returns `false`.
    pub(super) fn flag(&mut self, path: &str, node: Option<&Node>) -> bool {
        let Some(node) = node else { return false };
        node.as_bool().unwrap_or_else(|| {
            let message = format!("{path} must be true or false, without quotes");
            self.report.error(node.place, message);
            false
        })
    }

    /// Reads the list of applications that may use the component.
    pub(super) fn scopes(&mut self, node: Option<&Node>) -> Vec<String> {
        match node.map(|node| (node.place, &node.value)) {
            None => Vec::new(),
            Some((_, Value::List(nodes))) => {
                let id = |node| Some(self.text("an entry of scopes", Some(node))?.text);
                nodes.iter().filter_map(id).collect()
            }
            Some((place, _)) => {
                self.report.error(place, "scopes must be a list of application ids");
                Vec::new()
            }
        }
    }
}
