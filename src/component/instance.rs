//! Instances of pluggable components, which daprd configures instead of a file.

use std::{collections::BTreeMap, path::Path};

use super::{
    check::check,
    context::Context,
    kinds::{self, CATEGORY},
    manifest::{Item, Located, Manifest, Source},
    report::Report,
    rules,
    settings::{Metadata, secrets::SecretStores},
    spec::ComponentSpec,
};
use crate::base::diagnostics::{Diagnostic, Place, Severity};

/// The property that names the provider of an instance.
const PROVIDER: &str = "provider";
const DEFAULT_PROVIDER: &str = "echo";
/// Properties have no place.
const PLACE: Place = Place { line: 1, column: 1 };

/// Checks the properties of the instance `name`: its `provider`, and the metadata of the provider.
/// Returns the warnings, too.
///
/// # Errors
///
/// Fails with all errors in the properties.
pub(crate) fn instance(
    name: &str,
    properties: &BTreeMap<String, String>,
    context: &Context,
) -> Result<(ComponentSpec, Vec<Diagnostic>), Vec<Diagnostic>> {
    let manifest = manifest(name, properties);
    let kind = manifest.kind_text();
    if kinds::find(kind).is_none() {
        let (provider, known) = (kind.trim_start_matches(CATEGORY), kinds::providers());
        let message = format!("unknown provider {provider:?}; expected one of: {known}");
        return Err(vec![Diagnostic::error(message)]);
    }
    let secrets = SecretStores::new(std::iter::empty(), context);
    let mut report = Report::default();
    let shared_rules = rules::load_shared(context)?;
    let metadata = Metadata {
        manifest: &manifest,
        context,
        secrets: &secrets,
        file: Path::new(""),
        folder: &context.files,
        shared_rules: shared_rules.as_ref(),
    };
    let checked = check(&metadata, &mut report);
    if let Some((_, Some(fallback))) = &checked {
        let expected = "expected echo or error, since an instance cannot use other components";
        report.error(PLACE, format!("fallback: {} is invalid; {expected}", fallback.shown()));
    }
    let (errors, warnings): (Vec<_>, _) =
        report.into_diagnostics().into_iter().partition(|it| it.severity == Severity::Error);
    match checked {
        Some((spec, None)) if errors.is_empty() => Ok((spec, warnings)),
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
        place: PLACE,
        name: Some(located(name)).filter(|name| !name.text.is_empty()),
        namespace: None,
        kind: Some(located(&format!("{CATEGORY}{provider}"))),
        version: None,
        ignore_errors: false,
        items: rest.into_iter().map(item).collect(),
        secret_store: None,
        scopes: Vec::new(),
        diagnostics: Vec::new(),
    }
}
