//! The components that only the daprd has that calls real models.

use std::{path::Path, sync::Arc};

use super::{
    context::{Context, RealModels},
    kinds::{self, Other},
    manifest::Manifest,
    report::Report,
    settings::{Access, Metadata, secrets::SecretStores},
    spec::ComponentSpec,
};
use crate::{
    pii::Scrubber,
    provider::{faults::Faults, scripted::Rules},
    upstream::ListedComponent,
};

/// Returns the component, whose calls go to daprd whatever its type is.
pub(super) fn spec(
    listed: ListedComponent,
    models: &RealModels,
    context: &Context,
    shared_rules: Option<&Arc<Rules>>,
    report: &mut Report,
) -> Option<ComponentSpec> {
    let ListedComponent { name, kind, version } = listed;
    let metadata = Metadata {
        manifest: &Manifest::without_file(&name, &kind),
        context,
        secrets: &SecretStores::new(std::iter::empty(), context),
        file: Path::new(""),
        folder: Path::new(""),
        access: Access::Nothing,
        shared_rules,
    };
    let provider = kinds::configure_other(Other::Real(models), &metadata, report)?;
    Some(ComponentSpec {
        name,
        kind,
        version,
        scrubber: Scrubber::default(),
        faults: Faults::default(),
        has_strict_history: context.has_strict_history,
        provider,
        tools: None,
        fallback: None,
        stand_in: None,
        is_of_daprd: true,
    })
}
