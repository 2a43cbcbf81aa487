//! The models of a plan: components in this process, or behind sidecars.

use std::sync::Arc;

use super::{report::Report, resources::Resources, sidecar::Sidecar};
use crate::{
    client::Address,
    component::{ComponentSpec, ToolsSpec},
    provider::Provider,
    simulate::file::Model,
    tool_loop::{LoopSettings, OwnerMetrics, ToolRegistry},
};

/// A model that plays a participant, judges conversations or finds intents.
#[derive(Clone)]
pub(super) enum PlannedModel {
    Component(Arc<ComponentSpec>),
    Sidecar(Arc<Sidecar>),
}

/// Checks a model, whose keys are at a path in the file.
pub(super) fn plan(
    model: Model,
    path: &str,
    resources: &mut Resources<'_>,
    report: &mut Report<'_>,
) -> Option<PlannedModel> {
    match model {
        Model::Component(name) => {
            let spec = resources.component(&name, &format!("{path}/component"), report);
            spec.map(PlannedModel::Component)
        }
        Model::Sidecar(source) => match Address::parse(source.address.clone()) {
            Ok(_) => Some(PlannedModel::Sidecar(resources.sidecar(source))),
            Err(error) => {
                report.error(&format!("{path}/sidecar/address"), error.to_string());
                None
            }
        },
    }
}

impl PlannedModel {
    /// Connects to the sidecar, or to the servers whose tools the component owns. Fails with a
    /// message.
    pub(super) async fn connect(&self) -> Result<(), String> {
        match self {
            Self::Component(spec) => spec.connect().await.map_err(|error| error.message),
            Self::Sidecar(sidecar) => {
                sidecar.connected().await.map(drop).map_err(|error| error.to_string())
            }
        }
    }

    /// Returns `true` if the model is outside of this process.
    pub(super) fn is_external(&self) -> bool {
        matches!(self, Self::Sidecar(_))
    }

    /// Returns the connected tools that a component owns, for callers that run them.
    pub(super) fn own_tools(&self) -> Option<(ToolRegistry, LoopSettings)> {
        let Self::Component(spec) = self else { return None };
        spec.tools.as_ref().map(ToolsSpec::own_loop)
    }

    /// Returns the model of a conversation, without the tools that the component owns. A component
    /// shares no state with those of others.
    pub(super) fn without_tools(&self, metrics: &OwnerMetrics) -> Arc<dyn Provider> {
        match self {
            Self::Component(spec) => spec.build_model(metrics, &Arc::default()),
            Self::Sidecar(sidecar) => sidecar.clone(),
        }
    }

    /// Returns the model of a conversation, with the tools that the component owns.
    pub(super) fn with_tools(&self, metrics: &OwnerMetrics) -> Arc<dyn Provider> {
        match self {
            Self::Component(spec) => spec.build_provider(metrics, &Arc::default()),
            Self::Sidecar(sidecar) => sidecar.clone(),
        }
    }
}
