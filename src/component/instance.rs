//! Instances of pluggable components, which daprd configures instead of a file.

use std::{collections::BTreeMap, path::Path};

use super::{
    check::check,
    context::Context,
    kinds::{self, CATEGORY},
    manifest::{Item, Located, Manifest, Source},
    report::Report,
    rules,
    settings::{Access, Metadata, secrets::SecretStores},
    spec::ComponentSpec,
    tools::ToolsSpec,
};
use crate::base::{
    diagnostics::{Diagnostic, Place, Severity},
    kept_memory::TEXT_BYTE,
    pattern::PatternLimits,
};

/// The property that names the provider of an instance.
const PROVIDER: &str = "provider";
const DEFAULT_PROVIDER: &str = "echo";
/// Properties have no place.
const PLACE: Place = Manifest::NO_PLACE;

/// An upper bound of the memory for a byte of a property.
const BYTE: usize = 4;

/// A valid instance.
#[derive(Debug)]
pub(crate) struct CheckedInstance {
    pub(crate) spec: ComponentSpec,
    pub(crate) warnings: Vec<Diagnostic>,
    /// What it takes in addition to the [`memory`] of its properties: patterns, a file of tools, and the
    /// steps and templates of its rules. Instances share files of rules.
    pub(crate) memory: usize,
}

/// Returns an upper bound of the memory that properties take, except their patterns.
pub(crate) fn memory(properties: &BTreeMap<String, String>) -> usize {
    let memory = |(name, value): (&String, &String)| {
        let is_text = value.contains('\n');
        name.len() * BYTE + value.len() * if is_text { TEXT_BYTE } else { BYTE }
    };
    properties.iter().map(memory).sum()
}

/// Checks the properties of the instance `name`: its `provider`, and the metadata of the provider. It
/// may use the files in a folder, and start programs, if there is a folder.
///
/// # Errors
///
/// Fails with all errors in the properties.
pub(crate) fn instance(
    name: &str,
    properties: &BTreeMap<String, String>,
    files: Option<&Path>,
    context: &Context,
) -> Result<CheckedInstance, Vec<Diagnostic>> {
    let manifest = manifest(name, properties);
    let kind = manifest.kind_text();
    if kinds::find(kind).is_none() {
        let (provider, known) = (kind.trim_start_matches(CATEGORY), kinds::providers());
        let message = format!("unknown provider {provider:?}; expected one of: {known}");
        return Err(vec![Diagnostic::error(message)]);
    }
    let mut report = Report::default();
    let shared = rules::load_shared(context);
    if !shared.errors.is_empty() {
        return Err(shared.errors);
    }
    let metadata = Metadata {
        manifest: &manifest,
        context,
        secrets: &SecretStores::new(std::iter::empty(), context),
        file: Path::new(""),
        folder: files.unwrap_or(Path::new("")),
        access: files.map_or(Access::Nothing, Access::Folder),
        shared_rules: shared.rules.as_ref(),
    };
    let ((checked, fallback), patterns) =
        PatternLimits::INSTANCE.read(|| check(&metadata, &mut report));
    if let Some(fallback) = &fallback {
        let expected = "expected echo or error, since an instance cannot use other components";
        report.error(PLACE, format!("fallback: {} is invalid; {expected}", fallback.shown()));
    }
    let (errors, warnings): (Vec<_>, _) =
        report.diagnostics.into_iter().partition(|it| it.severity == Severity::Error);
    match checked {
        Some(spec) if errors.is_empty() => {
            let own_rules = spec.provider.rules().filter(|rules| rules.are_in_metadata());
            let memory = patterns
                + spec.tools.as_ref().map_or(0, ToolsSpec::file_size) * TEXT_BYTE
                + own_rules.map_or(0, |rules| rules.memory());
            Ok(CheckedInstance { spec, warnings, memory })
        }
        _ => Err(errors),
    }
}

fn manifest(name: &str, properties: &BTreeMap<String, String>) -> Manifest {
    let located = |text: &str| Located { place: PLACE, text: text.to_owned() };
    let (provider, rest): (Vec<_>, Vec<_>) =
        properties.iter().partition(|(name, _)| name.eq_ignore_ascii_case(PROVIDER));
    let provider = provider.first().map_or(DEFAULT_PROVIDER, |(_, value)| value.as_str());
    let item = |(name, value): (&String, &String)| Item {
        place: PLACE,
        name: name.clone(),
        source: Source::Value(located(value)),
    };
    Manifest {
        items: rest.into_iter().map(item).collect(),
        ..Manifest::without_file(name, &format!("{CATEGORY}{provider}"))
    }
}
