//! Reads Component resources.

use crate::{
    base::{
        diagnostics::{Diagnostic, Place},
        yaml::{Node, Tree, Value},
    },
    component::report::Report,
};

const API_VERSION: &str = "dapr.io/v1alpha1";
/// The warning that Resiliency policies have no effect.
pub(crate) const UNAPPLIED_POLICIES: &str = "skipped: mynah does not apply Resiliency policies; to test them, \
                                  let daprd apply them in front of mynah";

/// The resource that a document defines.
#[derive(Debug)]
pub(super) enum Resource {
    Component(Box<Manifest>),
    /// Another resource, which is skipped for the given reason.
    Other(Diagnostic),
}

/// A Component resource as written.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The start of the document.
    pub(crate) place: Place,
    pub(crate) name: Option<Located>,
    pub(crate) namespace: Option<Located>,
    /// `spec.type`.
    pub(crate) kind: Option<Located>,
    pub(crate) version: Option<Located>,
    pub(crate) ignore_errors: bool,
    pub(crate) items: Vec<Item>,
    /// The name of the secret store for the `secretKeyRef`s in the items.
    pub(crate) secret_store: Option<Located>,
    /// The applications that may use the component. If empty, all applications may use it.
    pub(crate) scopes: Vec<String>,
    /// Errors for fields of the wrong type, and warnings for unknown fields.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Manifest {
    /// The place of everything in a component that no file has.
    pub(crate) const NO_PLACE: Place = Place { line: 1, column: 1 };

    /// Returns a component that no file has, without metadata.
    pub(crate) fn without_file(name: &str, kind: &str) -> Self {
        let located = |text: &str| Located { place: Self::NO_PLACE, text: text.to_owned() };
        Self {
            place: Self::NO_PLACE,
            name: Some(located(name)).filter(|name| !name.text.is_empty()),
            namespace: None,
            kind: Some(located(kind)),
            version: None,
            ignore_errors: false,
            items: Vec::new(),
            secret_store: None,
            scopes: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Returns the name for messages.
    pub(crate) fn title(&self) -> &str {
        self.name.as_ref().map_or("without a name", |name| &name.text)
    }

    /// Returns `spec.type` for messages.
    pub(crate) fn kind_text(&self) -> &str {
        self.kind.as_ref().map_or("", |kind| &kind.text)
    }

    /// Returns `true` if daprd treats the version as the first one: a missing version, v0 or v1.
    pub(crate) fn is_first_version(&self) -> bool {
        let version = self.version.as_ref().map(|version| version.text.to_lowercase());
        matches!(version.as_deref(), None | Some("v0" | "v1"))
    }
}

/// Reads a document.
pub(super) fn read(tree: Tree) -> Resource {
    let root = &tree.root;
    let written = |field| root.field(field).and_then(Node::as_written);
    let message = match (written("apiVersion"), written("kind")) {
        (Some(API_VERSION), Some("Component")) => {
            return Resource::Component(read_component(tree).into());
        }
        (Some(version), Some("Component")) => {
            format!("skipped: apiVersion is {version}, not {API_VERSION}")
        }
        (Some(API_VERSION), Some("Resiliency")) => {
            // Tests of retries would pass or fail for the wrong reason.
            return Resource::Other(Diagnostic::warning(UNAPPLIED_POLICIES).at(root.place));
        }
        (Some(_), Some(kind)) => format!("skipped: kind is {kind}, not Component"),
        _ => "skipped: not a Component: apiVersion or kind is missing".to_owned(),
    };
    Resource::Other(Diagnostic::info(message).at(root.place))
}

fn read_component(tree: Tree) -> Manifest {
    let mut fields = FieldReader::default();
    tree.repeated_keys.into_iter().for_each(|error| fields.report.add(error));
    let root = &tree.root;
    let metadata = |field| root.field("metadata")?.field(field);
    let spec = |field| root.field("spec")?.field(field);
    let auth = |field| root.field("auth")?.field(field);
    Manifest {
        place: root.place,
        name: fields.text("metadata.name", metadata("name")),
        namespace: fields.text("metadata.namespace", metadata("namespace")),
        kind: fields.text("spec.type", spec("type")),
        version: fields.text("spec.version", spec("version")),
        ignore_errors: fields.flag("spec.ignoreErrors", spec("ignoreErrors")),
        items: read_items(spec("metadata"), &mut fields),
        secret_store: fields.text("auth.secretStore", auth("secretStore")),
        scopes: fields.scopes(root.field("scopes")),
        diagnostics: fields.report.diagnostics,
    }
}

/// An item of `spec.metadata`.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) source: Source,
}

/// The source of an item's value.
#[derive(Debug)]
pub(crate) enum Source {
    /// The value itself. Empty if the item has no value.
    Value(Located),
    /// The name of an environment variable.
    Variable(Located),
    /// A key in a secret. The default is used if the secret is empty or missing.
    Secret { secret: SecretKeyRef, default: Located },
}

/// A reference to a key in a secret.
#[derive(Debug)]
pub(crate) struct SecretKeyRef {
    pub(crate) name: Located,
    /// The key. Defaults to the name of the secret.
    pub(crate) key: String,
}

const FIELDS: [&str; 4] = ["name", "value", "secretKeyRef", "envRef"];

/// Reads `spec.metadata`.
fn read_items(node: Option<&Node>, fields: &mut FieldReader) -> Vec<Item> {
    let Some(node) = node else { return Vec::new() };
    let Value::List(nodes) = &node.value else {
        fields.report.error(node.place, "spec.metadata must be a list of items {name, value}");
        return Vec::new();
    };
    nodes.iter().filter_map(|node| read_item(node, fields)).collect()
}

fn read_item(node: &Node, fields: &mut FieldReader) -> Option<Item> {
    let Value::Map(entries) = &node.value else {
        let message = "an item of spec.metadata must be a mapping {name, value}";
        fields.report.error(node.place, message);
        return None;
    };
    for (field, entry) in entries {
        if !FIELDS.iter().any(|known| known.eq_ignore_ascii_case(field)) {
            let known = FIELDS.join(", ");
            let message =
                format!("unknown field {field:?} in a metadata item; expected one of: {known}");
            fields.report.warning(entry.place, message);
        }
    }
    let Some(name) = fields.text("the name of a metadata item", node.field("name")) else {
        fields.report.error(node.place, "an item of spec.metadata needs a name");
        return None;
    };
    Some(Item { place: node.place, name: name.text, source: read_source(node, fields)? })
}

/// Reads the source of an item's value. As in daprd, `value` overrides `envRef`, even if `value` is
/// empty, and `secretKeyRef` overrides `value`.
fn read_source(item: &Node, fields: &mut FieldReader) -> Option<Source> {
    let value = match item.field("value") {
        Some(node) => Some(fields.value(node)?),
        None => None,
    };
    let variable = fields.text("envRef", item.field("envRef"));
    let secret = item.field("secretKeyRef").and_then(|node| read_secret_key_ref(node, fields));
    let empty = Located { place: item.place, text: String::new() };
    Some(match (value, variable, secret) {
        (None, Some(variable), _) => Source::Variable(variable),
        (value, _, Some(secret)) => Source::Secret { secret, default: value.unwrap_or(empty) },
        (value, _, None) => Source::Value(value.unwrap_or(empty)),
    })
}

fn read_secret_key_ref(node: &Node, fields: &mut FieldReader) -> Option<SecretKeyRef> {
    if !matches!(node.value, Value::Map(_)) {
        fields.report.error(node.place, "secretKeyRef must be a mapping {name, key}");
        return None;
    }
    let Some(name) = fields.text("the name of a secretKeyRef", node.field("name")) else {
        fields.report.warning(node.place, "secretKeyRef is ignored: it has no name");
        return None;
    };
    let key = fields.text("the key of a secretKeyRef", node.field("key"));
    let key = key.map_or_else(|| name.text.clone(), |key| key.text);
    Some(SecretKeyRef { name, key })
}

/// A text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) text: String,
}

/// Reads fields and reports those that have the wrong type.
#[derive(Default)]
struct FieldReader {
    report: Report,
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
    fn value(&mut self, node: &Node) -> Option<Located> {
        let text = node.to_text().map_err(|error| self.report.add(error)).ok()?;
        Some(Located { place: node.place, text })
    }

    /// Reads a boolean. If the field is absent, returns `false`.
    fn flag(&mut self, path: &str, node: Option<&Node>) -> bool {
        let Some(node) = node else { return false };
        node.as_bool().unwrap_or_else(|| {
            let message = format!("{path} must be true or false, without quotes");
            self.report.error(node.place, message);
            false
        })
    }

    /// Reads the list of applications that may use the component.
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
