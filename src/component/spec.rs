//! What a component is meant to be, checked.

use std::sync::Arc;

use super::{
    Context, StandIn, common, echo,
    manifest::{Manifest, Written},
    metadata::Metadata,
    report::Report,
    scripted,
    secrets::SecretStores,
};
use crate::{
    base::diagnostics::{Diagnostic, Severity},
    pii::Scrubber,
    provider::{
        Provider,
        echo::{Echo, EchoSettings},
        scripted::{Scripted, ScriptedSettings},
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
    /// Set where the provider is not that of the type, which mynah does not know.
    pub stand_in: Option<StandIn>,
}

/// What answers for a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderSpec {
    /// `conversation.echo`
    Echo(EchoSettings),
    /// `conversation.scripted`, and what answers where there is no chain.
    Scripted(ScriptedSettings, Fallback),
}

/// What answers for a scripted component where there is no chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fallback {
    /// An echo.
    Echo,
    /// Nobody: that is an error.
    Error,
    /// A component of that name, which is looked up once all are loaded; it answers nothing before.
    Named(String),
    /// That component.
    Component(Arc<ComponentSpec>),
}

impl ComponentSpec {
    /// What answers for the component.
    pub fn provider(&self) -> Arc<dyn Provider> {
        match &self.provider {
            ProviderSpec::Echo(settings) => self.echo(settings),
            ProviderSpec::Scripted(settings, fallback) => {
                let fallback = self.fallback(settings, fallback);
                Arc::new(Scripted::new(&self.name, settings.clone(), fallback))
            }
        }
    }

    fn echo(&self, settings: &EchoSettings) -> Arc<dyn Provider> {
        let echo = Arc::new(Echo::new(&self.name, settings.clone()));
        if !settings.chains {
            return echo;
        }
        let (model, pace) = (settings.model.clone(), settings.pace);
        let settings = ScriptedSettings { model, pace, ..ScriptedSettings::default() };
        Arc::new(Scripted::new(&self.name, settings, Some(echo)))
    }

    fn fallback(
        &self,
        settings: &ScriptedSettings,
        fallback: &Fallback,
    ) -> Option<Arc<dyn Provider>> {
        match fallback {
            Fallback::Echo => {
                let (model, pace) = (settings.model.clone(), settings.pace);
                Some(self.echo(&EchoSettings { model, pace, ..EchoSettings::default() }))
            }
            Fallback::Error | Fallback::Named(_) => None,
            Fallback::Component(spec) => Some(spec.provider()),
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
            stand_in: None,
        }
    }
}

/// The types that mynah knows.
pub const KNOWN_TYPES: &[&str] = &[echo::TYPE, scripted::TYPE];

/// The one place that knows which provider a type means; `kind` is in lower case.
fn provider(kind: &str, metadata: Metadata<'_>, report: &mut Report) -> Option<ProviderSpec> {
    match kind {
        echo::TYPE => Some(ProviderSpec::Echo(echo::settings(metadata, report))),
        scripted::TYPE => {
            let (settings, fallback) = scripted::settings(metadata, report);
            Some(ProviderSpec::Scripted(settings, fallback))
        }
        _ => None,
    }
}

/// Checks a conversation component. `None` means that the report says why not.
pub(super) fn check(
    manifest: &Manifest,
    context: &Context,
    stores: &SecretStores<'_>,
    report: &mut Report,
) -> Option<ComponentSpec> {
    let stand_in = stand_in(manifest, context);
    // A stand-in reads no fields of the metadata, so only the errors matter.
    let matters = |it: &&Diagnostic| it.severity == Severity::Error || stand_in.is_none();
    manifest.diagnostics.iter().filter(matters).for_each(|it| report.add(it.clone()));
    let name = name(manifest, report);
    let metadata = Metadata { manifest, context, stores };
    let (scrubber, provider) = match stand_in {
        // The settings are another provider's, and say nothing to mynah.
        Some(stand_in) => (Scrubber::default(), stand_in.provider(metadata)),
        None => known(manifest, metadata, report)?,
    };
    let name = name?.to_owned();
    let kind = manifest.kind.as_ref()?.text.clone();
    let version = manifest.version.as_ref().map(|version| version.text.clone()).unwrap_or_default();
    let spec = ComponentSpec { name, kind, version, scrubber, provider, stand_in };
    Some(spec).filter(|_| !report.has_errors())
}

/// What answers where the type is one of conversation that mynah does not know.
fn stand_in(manifest: &Manifest, context: &Context) -> Option<StandIn> {
    let kind = lower_type(&manifest.kind.as_ref()?.text)?;
    context.stand_in.filter(|_| !KNOWN_TYPES.contains(&kind.as_str()))
}

/// The settings of a component whose type mynah must know.
fn known(
    manifest: &Manifest,
    metadata: Metadata<'_>,
    report: &mut Report,
) -> Option<(Scrubber, ProviderSpec)> {
    let provider = known_provider(manifest, metadata, report)?;
    check_version(manifest, report);
    Some((common::scrubber(metadata, report), provider))
}

fn name<'a>(manifest: &'a Manifest, report: &mut Report) -> Option<&'a str> {
    let Some(Written { place, text }) = &manifest.name else {
        let message = "metadata.name is missing; daprd would pass over this component in silence";
        report.error(manifest.place, message);
        return None;
    };
    if matches!(text.as_str(), "." | "..") || text.contains(['/', '%']) {
        let message =
            format!("metadata.name {text:?} is not allowed; avoid '.', '..', '/' and '%'");
        report.error(*place, message);
        return None;
    }
    Some(text)
}

fn known_provider(
    manifest: &Manifest,
    metadata: Metadata<'_>,
    report: &mut Report,
) -> Option<ProviderSpec> {
    let known = KNOWN_TYPES.join(", ");
    let Some(Written { place, text }) = &manifest.kind else {
        report.error(manifest.place, format!("spec.type is missing; mynah knows {known}"));
        return None;
    };
    let kind = lower_type(text);
    let provider = kind.as_ref().and_then(|kind| provider(kind, metadata, report));
    if provider.is_none() {
        let help = if kind.is_some() { "; --stand-in echo answers for any other" } else { "" };
        report.error(*place, format!("spec.type {text:?} is unknown; mynah knows {known}{help}"));
    }
    provider
}

/// As in daprd, case matters in the category of a type, but not after it.
fn lower_type(kind: &str) -> Option<String> {
    kind.starts_with("conversation.").then(|| kind.to_lowercase())
}

fn check_version(manifest: &Manifest, report: &mut Report) {
    let Some(Written { place, text }) = &manifest.version else { return };
    if !manifest.is_first_version() {
        let kind = manifest.kind.as_ref().map_or("", |kind| &kind.text);
        report.error(*place, format!("spec.version {text:?} of {kind} is unknown; use v1"));
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::manifest::{self, Document},
        *,
    };
    use crate::base::yaml;

    #[test]
    fn every_known_type_has_a_provider() {
        let document = "apiVersion: dapr.io/v1alpha1\nkind: Component\n";
        let tree = yaml::parse(document, 1).unwrap().unwrap();
        let Document::Component(manifest) = manifest::read(tree) else { panic!("a component") };
        let context = Context::default();
        let stores = SecretStores::new([].into_iter(), &context);
        for kind in KNOWN_TYPES {
            let metadata = Metadata { manifest: &manifest, context: &context, stores: &stores };
            assert!(provider(kind, metadata, &mut Report::default()).is_some(), "{kind}");
        }
    }
}
