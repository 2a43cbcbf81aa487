//! What is written in a document, before anybody asks whether it makes sense.

use super::{
    Place,
    node::{Node, Tree, Value},
    report::Remark,
    scalar::{Scalar, resolve},
    value,
};

/// What a document is.
#[derive(Debug)]
pub(super) enum Document {
    Component(Manifest),
    /// Something that is not for this loader, and what it is.
    Other(Remark),
}

/// A Component resource as it is written.
#[derive(Debug)]
pub(super) struct Manifest {
    /// Where the document begins.
    pub(super) place: Place,
    pub(super) name: Option<Written>,
    pub(super) kind: Option<Written>,
    pub(super) version: Option<Written>,
    pub(super) ignore_errors: bool,
    pub(super) items: Vec<Item>,
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

/// An item of `spec.metadata`.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) source: Source,
}

/// Where the value of an item comes from.
#[derive(Debug)]
pub(super) enum Source {
    /// It stands there; empty where nothing does.
    Value(Written),
    /// From elsewhere: the name of the field that says so.
    Reference(&'static str),
}

const API_VERSION: &str = "dapr.io/v1alpha1";
const ITEM_FIELDS: [&str; 4] = ["name", "value", "secretKeyRef", "envRef"];

/// Finds out what a document is.
pub(super) fn read(tree: Tree) -> Document {
    let root = &tree.root;
    let identity = (scalar(root.field("apiVersion")), scalar(root.field("kind")));
    let message = match identity {
        (Some(API_VERSION), Some("Component")) => return Document::Component(component(tree)),
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
    Manifest {
        place: root.place,
        name: reader.text("metadata.name", metadata.and_then(|node| node.field("name"))),
        kind: reader.text("spec.type", spec.and_then(|node| node.field("type"))),
        version: reader.text("spec.version", spec.and_then(|node| node.field("version"))),
        ignore_errors: reader.flag("spec.ignoreErrors", spec.and_then(|n| n.field("ignoreErrors"))),
        items: reader.items(spec.and_then(|node| node.field("metadata"))),
        scopes: reader.scopes(root.field("scopes")),
        faults: reader.faults,
        unread: reader.unread,
    }
}

/// Reads fields, and keeps what does not fit.
struct Reader {
    faults: Vec<Remark>,
    unread: Vec<Remark>,
}

impl Reader {
    fn fault(&mut self, place: Place, message: impl Into<String>) {
        self.faults.push(Remark::new(place, message));
    }

    /// A text; an empty one is as good as none.
    fn text(&mut self, path: &str, node: Option<&Node>) -> Option<Written> {
        let node = node?;
        if scalar(Some(node)).is_none() {
            self.fault(node.place, format!("{path} must be text, not a list or a mapping"));
        }
        self.value(node).filter(|written| !written.text.is_empty())
    }

    fn value(&mut self, node: &Node) -> Option<Written> {
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

    fn items(&mut self, node: Option<&Node>) -> Vec<Item> {
        let Some(node) = node else { return Vec::new() };
        let Value::List(nodes) = &node.value else {
            self.fault(node.place, "spec.metadata must be a list of items {name, value}");
            return Vec::new();
        };
        nodes.iter().filter_map(|node| self.item(node)).collect()
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

    fn item(&mut self, node: &Node) -> Option<Item> {
        let Value::Map(entries) = &node.value else {
            self.fault(node.place, "an item of spec.metadata must be a mapping {name, value}");
            return None;
        };
        for (field, entry) in entries {
            if !ITEM_FIELDS.iter().any(|known| known.eq_ignore_ascii_case(field)) {
                let known = ITEM_FIELDS.join(", ");
                let message = format!("field {field:?} is not read; an item has {known}");
                self.unread.push(Remark::new(entry.place, message));
            }
        }
        let Some(name) = self.text("the name of a metadata item", node.field("name")) else {
            self.fault(node.place, "an item of spec.metadata needs a name");
            return None;
        };
        Some(Item { place: node.place, name: name.text, source: self.source(node)? })
    }

    /// As in daprd, a value beats a reference, unless it is empty.
    fn source(&mut self, item: &Node) -> Option<Source> {
        let value = match item.field("value") {
            Some(node) => self.value(node)?,
            None => Written { place: item.place, text: String::new() },
        };
        let references = ["secretKeyRef", "envRef"];
        let reference = references.into_iter().find(|field| item.field(field).is_some());
        Some(match reference {
            Some(field) if value.text.is_empty() => Source::Reference(field),
            _ => Source::Value(value),
        })
    }
}
