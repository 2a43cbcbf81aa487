//! What a component is meant to be, checked.

use std::sync::Arc;

use super::{
    Context, Level, common, echo,
    manifest::{Manifest, Written},
    metadata::Metadata,
    report::Report,
};
use crate::{
    pii::Scrubber,
    provider::{
        Provider,
        echo::{Echo, EchoSettings},
    },
};

/// A component that can serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentSpec {
    /// The name that clients call it by.
    pub name: String,
    /// The type as it is written, such as `conversation.echo`.
    pub kind: String,
    /// The version as it is written; may be empty.
    pub version: String,
    /// How it scrubs personal data where a request asks for it.
    pub scrubber: Scrubber,
    /// What answers, and how it is set up.
    pub provider: ProviderSpec,
}

/// What answers for a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderSpec {
    /// `conversation.echo`
    Echo(EchoSettings),
}

impl ComponentSpec {
    /// What answers for the component.
    pub fn provider(&self) -> Arc<dyn Provider> {
        match &self.provider {
            ProviderSpec::Echo(settings) => Arc::new(Echo::new(&self.name, settings.clone())),
        }
    }

    /// The component that serves where nobody names any: a plain echo.
    pub fn built_in() -> Self {
        Self {
            name: "echo".to_owned(),
            kind: echo::TYPE.to_owned(),
            version: "v1".to_owned(),
            scrubber: Scrubber::default(),
            provider: ProviderSpec::Echo(EchoSettings::default()),
        }
    }
}

/// The types that mynah knows.
pub const KNOWN_TYPES: &[&str] = &[echo::TYPE];

/// The one place that knows which provider a type means; `kind` is in lower case.
fn provider(kind: &str, metadata: Metadata<'_>, report: &mut Report) -> Option<ProviderSpec> {
    match kind {
        echo::TYPE => Some(ProviderSpec::Echo(echo::settings(metadata, report))),
        _ => None,
    }
}

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

/// Whether the component belongs to another building block, and is none of mynah's business.
pub(super) fn is_other_block(manifest: &Manifest) -> bool {
    let kind = manifest.kind.as_ref().and_then(|kind| kind.text.split_once('.'));
    kind.is_some_and(|(category, _)| OTHER_CATEGORIES.contains(&category))
}

/// Whether the component's scopes let that application use it; one without an id may use all.
pub(super) fn is_for(manifest: &Manifest, app_id: &str) -> bool {
    let scopes = &manifest.scopes;
    scopes.is_empty() || app_id.is_empty() || scopes.iter().any(|scope| scope == app_id)
}

/// Checks a conversation component. `None` means that the report says why not.
pub(super) fn check(
    manifest: &Manifest,
    context: &Context,
    report: &mut Report,
) -> Option<ComponentSpec> {
    report.problems.extend(manifest.faults.iter().cloned());
    for remark in &manifest.unread {
        report.notices.push((Level::Warning, remark.clone()));
    }
    let name = name(manifest, report);
    let component = manifest.name.as_ref().map_or("", |name| &name.text);
    let metadata = Metadata { component, items: &manifest.items, context };
    let (kind, provider) = kind(manifest, metadata, report)?;
    let scrubber = common::scrubber(metadata, report);
    let version = version(manifest, kind, report);
    let (name, version) = (name?.to_owned(), version?);
    let spec = ComponentSpec { name, kind: kind.text.clone(), version, scrubber, provider };
    Some(spec).filter(|_| report.problems.is_empty())
}

fn name<'a>(manifest: &'a Manifest, report: &mut Report) -> Option<&'a str> {
    let Some(Written { place, text }) = &manifest.name else {
        let message = "metadata.name is missing; daprd would pass over this component in silence";
        report.problem(manifest.place, message);
        return None;
    };
    if matches!(text.as_str(), "." | "..") || text.contains(['/', '%']) {
        let message =
            format!("metadata.name {text:?} is not allowed; avoid '.', '..', '/' and '%'");
        report.problem(*place, message);
        return None;
    }
    Some(text)
}

fn kind<'a>(
    manifest: &'a Manifest,
    metadata: Metadata<'_>,
    report: &mut Report,
) -> Option<(&'a Written, ProviderSpec)> {
    let known = KNOWN_TYPES.join(", ");
    let Some(kind) = &manifest.kind else {
        report.problem(manifest.place, format!("spec.type is missing; mynah knows {known}"));
        return None;
    };
    let provider = lower_type(&kind.text).and_then(|kind| provider(&kind, metadata, report));
    if provider.is_none() {
        let message = format!("spec.type {:?} is unknown; mynah knows {known}", kind.text);
        report.problem(kind.place, message);
    }
    Some((kind, provider?))
}

/// As in daprd, case matters in the category of a type, but not after it.
fn lower_type(kind: &str) -> Option<String> {
    kind.starts_with("conversation.").then(|| kind.to_lowercase())
}

fn version(manifest: &Manifest, kind: &Written, report: &mut Report) -> Option<String> {
    let Some(Written { place, text }) = &manifest.version else { return Some(String::new()) };
    if matches!(text.to_lowercase().as_str(), "v0" | "v1") {
        return Some(text.clone());
    }
    report.problem(*place, format!("spec.version {text:?} of {} is unknown; use v1", kind.text));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_type_has_a_provider() {
        let context = Context::default();
        for kind in KNOWN_TYPES {
            let metadata = Metadata { component: "c", items: &[], context: &context };
            assert!(provider(kind, metadata, &mut Report::default()).is_some(), "{kind}");
        }
    }
}
