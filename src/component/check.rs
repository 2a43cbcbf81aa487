//! Checks components and their settings.

use super::{
    context::{Context, RealModels},
    kinds::{self, Configured, Other},
    manifest::{Located, Manifest},
    report::Report,
    settings::{Metadata, ResolvedValue},
    spec::ComponentSpec,
    tools::ToolsSpec,
};
use crate::{
    base::diagnostics::{Diagnostic, Severity},
    pii::Scrubber,
    provider::faults::Faults,
};

/// The settings that all types have.
#[derive(Default)]
struct Common {
    scrubber: Scrubber,
    tools: Option<ToolsSpec>,
    faults: Faults,
    has_strict_history: bool,
}

/// Checks a conversation component. Returns `None` if the report has errors of its own.
///
/// The second value is the name of the component to fall back to, even if there are errors.
pub(super) fn check(
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> (Option<ComponentSpec>, Option<ResolvedValue>) {
    let manifest = metadata.manifest;
    metadata.hide_secrets();
    let other = other(metadata);
    // What answers for another type uses few of the settings, so drop warnings about them.
    let matters = |it: &&Diagnostic| it.severity == Severity::Error || other.is_none();
    manifest.diagnostics.iter().filter(matters).for_each(|it| report.add(it.clone()));
    if other.is_some() {
        warn_if_misspelled(manifest, report);
    }
    let name = check_name(manifest, report);
    let (common, Configured { provider, fallback }) = match other {
        Some(other) => {
            let provider = kinds::configure_other(other, metadata, report);
            let Some(provider) = provider else { return (None, None) };
            let faults = kinds::faults(metadata, report);
            let has_strict_history = kinds::has_strict_history(metadata, report);
            let common = Common { faults, has_strict_history, ..Common::default() };
            (common, Configured { provider, fallback: None })
        }
        None => match configure(metadata, report) {
            Some(configured) => configured,
            None => return (None, None),
        },
    };
    let (Some(name), Some(kind)) = (name, &manifest.kind) else { return (None, fallback) };
    let (name, kind) = (name.to_owned(), kind.text.clone());
    let version = manifest.version.as_ref().map(|version| version.text.clone()).unwrap_or_default();
    let Common { scrubber, tools, faults, has_strict_history } = common;
    let spec = ComponentSpec {
        name,
        kind,
        version,
        scrubber,
        faults,
        has_strict_history,
        provider,
        tools,
        fallback: None,
        stand_in: match other {
            Some(Other::StandIn(stand_in)) => Some(stand_in),
            _ => None,
        },
        is_of_daprd: false,
    };
    // A recording is no part of the component: it may be valid nevertheless.
    let recordings = metadata.context.real_models.as_ref().and_then(RealModels::replayed_folder);
    (Some(spec).filter(|_| !report.has_errors_outside(recordings)), fallback)
}

/// Returns what answers if this is a conversation component of an unsupported type.
fn other<'m>(metadata: &Metadata<'m>) -> Option<Other<'m>> {
    let kind = metadata.manifest.kind_text();
    let is_other = kinds::is_conversation(kind) && kinds::find(kind).is_none();
    let Context { real_models, stand_in, .. } = metadata.context;
    let real = real_models.as_ref().map(Other::Real);
    real.or(stand_in.map(Other::StandIn)).filter(|_| is_other)
}

/// Warns if the type of a stand-in is similar to a known one. Pluggable components may have any type.
fn warn_if_misspelled(manifest: &Manifest, report: &mut Report) {
    let Some(Located { place, text }) = &manifest.kind else { return };
    if let Some(known) = kinds::similar(text) {
        let message = format!("unknown spec.type {text:?}; did you mean {known:?}?");
        report.warning(*place, message);
    }
}

fn check_name<'a>(manifest: &'a Manifest, report: &mut Report) -> Option<&'a str> {
    let Some(Located { place, text }) = &manifest.name else {
        let message =
            "metadata.name is missing; add one (daprd silently skips components without a name)";
        report.error(manifest.place, message);
        return None;
    };
    if matches!(text.as_str(), "." | "..") || text.contains(['/', '%']) {
        let message = format!(
            "invalid metadata.name {text:?}; it must not be '.' or '..', or contain '/' or '%'"
        );
        report.error(*place, message);
        return None;
    }
    Some(text)
}

/// Reads the settings of a component without a stand-in.
fn configure(metadata: &Metadata<'_>, report: &mut Report) -> Option<(Common, Configured)> {
    let known = kinds::names();
    let Some(Located { place, text }) = &metadata.manifest.kind else {
        let message = format!("spec.type is missing; expected one of: {known}");
        report.error(metadata.manifest.place, message);
        return None;
    };
    let Some(kind) = kinds::find(text) else {
        let help = match kinds::is_conversation(text) {
            true if metadata.context.has_model_flags => {
                "; or use --stand-in echo, --replay or --upstream"
            }
            true => "; or use --stand-in echo",
            false => "",
        };
        report.error(*place, format!("unknown spec.type {text:?}; expected one of: {known}{help}"));
        return None;
    };
    let configured = kind.configure(metadata, report);
    check_version(metadata.manifest, report);
    let tools = ToolsSpec::read(metadata, report);
    let (scrubber, faults) = (kinds::scrubber(metadata, report), kinds::faults(metadata, report));
    let has_strict_history = kinds::has_strict_history(metadata, report);
    Some((Common { scrubber, tools, faults, has_strict_history }, configured))
}

fn check_version(manifest: &Manifest, report: &mut Report) {
    let Some(Located { place, text }) = &manifest.version else { return };
    if !manifest.is_first_version() {
        let kind = manifest.kind_text();
        report.error(*place, format!("unknown spec.version {text:?} for {kind}; expected v1"));
    }
}
