//! Decides which components this sidecar serves.

use super::{context::Context, kinds, manifest::Manifest, report::listed};
use crate::base::diagnostics::Diagnostic;

/// The component categories of Dapr's other building blocks.
const OTHER_CATEGORIES: [&str; 11] = [
    "bindings",
    "configuration",
    "crypto",
    "lock",
    "middleware",
    "nameresolution",
    "pubsub",
    "secretstores",
    "state",
    "workflow",
    "workflowbackend",
];

/// Returns `true` if the component belongs to a building block other than conversation.
pub(super) fn is_other_building_block(manifest: &Manifest) -> bool {
    let category = manifest.kind_text().split_once('.');
    category.is_some_and(|(category, _)| OTHER_CATEGORIES.contains(&category))
}

/// Returns a diagnostic if the component is not meant for this sidecar. Another component may then
/// have the same name.
pub(super) fn skip_reason(manifest: &Manifest, context: &Context) -> Option<Diagnostic> {
    let component = manifest.title();
    if let Some(namespace) = other_namespace(manifest, context) {
        let own = context.namespace();
        let message =
            format!("skipped: component {component} is in namespace {namespace}, not {own}");
        return Some(Diagnostic::info(message).at(manifest.place));
    }
    (!is_in_scope(manifest, &context.app_id)).then(|| out_of_scope(manifest, &context.app_id))
}

/// A conversation component is probably meant to be served, and the id of the application wrong.
fn out_of_scope(manifest: &Manifest, app_id: &str) -> Diagnostic {
    let component = manifest.title();
    let scopes = &manifest.scopes;
    let scopes = listed(scopes.iter().map(String::as_str), scopes.len(), ", ");
    let message =
        format!("skipped: component {component} is scoped to other applications: {scopes}");
    let diagnostic = if kinds::is_conversation(manifest.kind_text()) {
        Diagnostic::warning(format!("{message}; --app-id is {app_id:?}"))
    } else {
        Diagnostic::info(message)
    };
    diagnostic.at(manifest.place)
}

/// Returns the component's namespace if it differs from the sidecar's. As in daprd, the namespaces
/// are compared only if both are set.
fn other_namespace<'a>(manifest: &'a Manifest, context: &Context) -> Option<&'a str> {
    let own = context.environment.get("NAMESPACE").filter(|own| !own.is_empty())?;
    let written = &manifest.namespace.as_ref()?.text;
    (written != own).then_some(written)
}

/// Returns `true` if the application may use the component. An application without an id may use
/// every component.
fn is_in_scope(manifest: &Manifest, app_id: &str) -> bool {
    let scopes = &manifest.scopes;
    scopes.is_empty() || app_id.is_empty() || scopes.iter().any(|scope| scope == app_id)
}
