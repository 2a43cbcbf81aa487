//! Which components are this sidecar's.

use super::{Context, manifest::Manifest};

/// Dapr's other building blocks, whose components mynah passes over.
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

/// Whether the component belongs to another building block than conversation.
pub(super) fn is_other_block(manifest: &Manifest) -> bool {
    let kind = manifest.kind.as_ref().and_then(|kind| kind.text.split_once('.'));
    kind.is_some_and(|(category, _)| OTHER_CATEGORIES.contains(&category))
}

/// Why the component is not for this sidecar, if so; it takes no name then.
pub(super) fn passed_over(manifest: &Manifest, context: &Context) -> Option<String> {
    let component = manifest.title();
    if let Some(namespace) = other_namespace(manifest, context) {
        let own = context.namespace();
        let message = format!("component {component} is of namespace {namespace}, not {own}");
        return Some(format!("passed over: {message}"));
    }
    let ours = is_in_scope(manifest, &context.app_id);
    (!ours).then(|| format!("passed over: component {component} is for other applications"))
}

/// As in daprd, namespaces count only where both sides have one.
fn other_namespace<'a>(manifest: &'a Manifest, context: &Context) -> Option<&'a str> {
    let own = context.environment.get("NAMESPACE").filter(|own| !own.is_empty())?;
    let written = &manifest.namespace.as_ref()?.text;
    (written != own).then_some(written)
}

/// Whether the scopes let that application use it; one without an id may use all.
fn is_in_scope(manifest: &Manifest, app_id: &str) -> bool {
    let scopes = &manifest.scopes;
    scopes.is_empty() || app_id.is_empty() || scopes.iter().any(|scope| scope == app_id)
}
