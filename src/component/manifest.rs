//! What is written in a document, before anybody asks whether it makes sense.

use super::{item::Item, report::Report};
use crate::base::{
    diagnostics::{Diagnostic, Place},
    yaml::{Node, Tree, Value},
};

/// What a document is.
#[derive(Debug)]
pub(super) enum Document {
    Component(Box<Manifest>),
    /// A document to skip, and why.
    Other(Diagnostic),
}

/// A Component resource as it is written.
#[derive(Debug)]
pub(super) struct Manifest {
    /// Where the document begins.
    pub(super) place: Place,
    pub(super) name: Option<Written>,
    pub(super) namespace: Option<Written>,
    pub(super) kind: Option<Written>,
    pub(super) version: Option<Written>,
    pub(super) ignore_errors: bool,
    pub(super) items: Vec<Item>,
    /// The component that has the secrets that items refer to.
    pub(super) secret_store: Option<Written>,
    /// The applications that it is for; none means all.
    pub(super) scopes: Vec<String>,
    /// Errors for fields of the wrong type, and warnings for fields that are not read.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A text and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) place: Place,
    pub(super) text: String,
}

const API_VERSION: &str = "dapr.io/v1alpha1";

impl Manifest {
    /// What messages call it.
    pub(super) fn title(&self) -> &str {
        self.name.as_ref().map_or("without a name", |name| &name.text)
    }

    /// Whether the version is one of those that daprd takes for the first: none, v0 and v1.
    pub(super) fn is_first_version(&self) -> bool {
        let version = self.version.as_ref().map(|version| version.text.to_lowercase());
        matches!(version.as_deref(), None | Some("v0" | "v1"))
    }
}

/// Finds out what a document is.
pub(super) fn read(tree: Tree) -> Document {
    let root = &tree.root;
    let written = |field| root.field(field).and_then(Node::as_written);
    let identity = (written("apiVersion"), written("kind"));
    let message = match identity {
        (Some(API_VERSION), Some("Component")) => {
            return Document::Component(component(tree).into());
        }
        (Some(version), Some("Component")) => {
            format!("passed over: a Component of {version}; mynah reads those of {API_VERSION}")
        }
        (Some(_), Some(kind)) => format!("passed over: a {kind}; mynah reads Components"),
        _ => "passed over: no Component, since it has no apiVersion and kind".to_owned(),
    };
    Document::Other(Diagnostic::info(message).at(root.place))
}

fn component(tree: Tree) -> Manifest {
    let mut reader = Reader { report: Report::default() };
    tree.repeated_keys.into_iter().for_each(|error| reader.report.add(error));
    let root = &tree.root;
    let metadata = root.field("metadata");
    let spec = root.field("spec");
    let auth = root.field("auth");
    Manifest {
        place: root.place,
        name: reader.text("metadata.name", metadata.and_then(|node| node.field("name"))),
        namespace: reader
            .text("metadata.namespace", metadata.and_then(|node| node.field("namespace"))),
        kind: reader.text("spec.type", spec.and_then(|node| node.field("type"))),
        version: reader.text("spec.version", spec.and_then(|node| node.field("version"))),
        ignore_errors: reader.flag("spec.ignoreErrors", spec.and_then(|n| n.field("ignoreErrors"))),
        items: reader.items(spec.and_then(|node| node.field("metadata"))),
        secret_store: reader.text("auth.secretStore", auth.and_then(|n| n.field("secretStore"))),
        scopes: reader.scopes(root.field("scopes")),
        diagnostics: reader.report.into_iter().collect(),
    }
}

/// Reads fields, and keeps what does not fit.
pub(super) struct Reader {
    pub(super) report: Report,
}

impl Reader {
    /// A text; an empty one is as good as none.
    pub(super) fn text(&mut self, path: &str, node: Option<&Node>) -> Option<Written> {
        let node = node?;
        if node.as_written().is_none() {
            self.report.error(node.place, format!("{path} must be text, not a list or a mapping"));
        }
        self.value(node).filter(|written| !written.text.is_empty())
    }

    pub(super) fn value(&mut self, node: &Node) -> Option<Written> {
        let text = node.to_text().map_err(|error| self.report.add(error)).ok()?;
        Some(Written { place: node.place, text })
    }

    fn flag(&mut self, path: &str, node: Option<&Node>) -> bool {
        let Some(node) = node else { return false };
        node.as_bool().unwrap_or_else(|| {
            let message = format!("{path} must be true or false, without quotes");
            self.report.error(node.place, message);
            false
        })
    }

    fn scopes(&mut self, node: Option<&Node>) -> Vec<String> {
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
