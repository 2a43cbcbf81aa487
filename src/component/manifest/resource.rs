//! Reads Component resources.

use super::{
    fields::{FieldReader, Located},
    item::{Item, read_items},
};
use crate::base::{
    diagnostics::{Diagnostic, Place},
    yaml::{Node, Tree},
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
        diagnostics: fields.report.into_diagnostics(),
    }
}
