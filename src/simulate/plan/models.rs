//! Checks the models of a plan.

use std::sync::Arc;

use super::{report::Report, resources::Resources};
use crate::simulate::{Model, file::ModelRef};

/// Checks a model, whose keys are at a path in the file.
pub(super) fn plan(
    model: ModelRef,
    path: &str,
    resources: &mut Resources<'_>,
    report: &mut Report<'_>,
) -> Option<Arc<dyn Model>> {
    match model {
        ModelRef::Component(name) => {
            resources.component(&name, &format!("{path}/component"), report)
        }
        ModelRef::Sidecar(source) => {
            let invalid = |error| report.error(&format!("{path}/sidecar/address"), error);
            resources.sidecar(&source).map_err(invalid).ok()
        }
    }
}
