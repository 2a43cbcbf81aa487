//! What is written in a document, before anybody asks whether it makes sense.

use super::{
    Place,
    item::Item,
    node::{Node, Tree, Value},
    report::Remark,
    scalar::{Scalar, resolve},
    value,
};

/// What a document is.
#[derive(Debug)]
pub(super) enum Document {
    Component(Box<Manifest>),
    /// Something that is not for this loader, and what it is.
    Other(Remark),
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
    /// What does not have the shape of a Component.
    pub(super) faults: Vec<Remark>,
    /// Fields that nobody reads.
    pub(super) unread: Vec<Remark>,
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
    let identity = (scalar(root.field("apiVersion")), scalar(root.field("kind")));
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
    Document::Other(Remark::new(root.place, message))
}

fn scalar(node: Option<&Node>) -> Option<&str> {
    match &node?.value {
        Value::Plain(text) | Value::Text(text) => Some(text),
        Value::List(_) | Value::Map(_) => None,
    }
}

fn component(tree: Tree) -> Manifest {
    let mut reader = Reader { faults: tree.repeated, unread: Vec::new() };
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
        faults: reader.faults,
        unread: reader.unread,
    }
}

/// Reads fields, and keeps what does not fit.
pub(super) struct Reader {
    faults: Vec<Remark>,
    unread: Vec<Remark>,
}

impl Reader {
    pub(super) fn fault(&mut self, place: Place, message: impl Into<String>) {
        self.faults.push(Remark::new(place, message));
    }

    pub(super) fn unread(&mut self, place: Place, message: impl Into<String>) {
        self.unread.push(Remark::new(place, message));
    }

    /// A text; an empty one is as good as none.
    pub(super) fn text(&mut self, path: &str, node: Option<&Node>) -> Option<Written> {
        let node = node?;
        if scalar(Some(node)).is_none() {
            self.fault(node.place, format!("{path} must be text, not a list or a mapping"));
        }
        self.value(node).filter(|written| !written.text.is_empty())
    }

    pub(super) fn value(&mut self, node: &Node) -> Option<Written> {
        let text = value::text(node).map_err(|fault| self.faults.push(fault)).ok()?;
        Some(Written { place: node.place, text })
    }

    fn flag(&mut self, path: &str, node: Option<&Node>) -> bool {
        let Some(node) = node else { return false };
        if let Value::Plain(text) = &node.value
            && let Scalar::Bool(flag) = resolve(text)
        {
            return flag;
        }
        self.fault(node.place, format!("{path} must be true or false, without quotes"));
        false
    }

    fn scopes(&mut self, node: Option<&Node>) -> Vec<String> {
        match node.map(|node| (node.place, &node.value)) {
            None => Vec::new(),
            Some((_, Value::List(nodes))) => {
                let id = |node| Some(self.text("an entry of scopes", Some(node))?.text);
                nodes.iter().filter_map(id).collect()
            }
            Some((place, _)) => {
                self.fault(place, "scopes must be a list of application ids");
                Vec::new()
            }
        }
    }
}
