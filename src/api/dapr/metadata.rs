//! The sidecar's metadata, as a daprd without an application or actors reports it.

use crate::{
    engine::{Component, Engine, RUNTIME_VERSION},
    wire::proto::{
        ActorRuntime, AppConnectionProperties, GetMetadataResponse, MetadataWorkflows,
        RegisteredComponents, actor_runtime::ActorRuntimeStatus,
    },
};

/// Returns a component as the metadata lists it.
pub(crate) fn registered_component(component: &Component) -> RegisteredComponents {
    RegisteredComponents {
        name: component.name.clone(),
        r#type: component.kind.clone(),
        version: component.version.clone(),
        capabilities: Vec::new(),
    }
}

pub(super) fn metadata(engine: &Engine) -> GetMetadataResponse {
    let components = engine.components.all();
    GetMetadataResponse {
        id: engine.app_id.clone(),
        registered_components: components.iter().map(|it| registered_component(it)).collect(),
        extended_metadata: engine.extended_metadata(),
        app_connection_properties: Some(AppConnectionProperties {
            protocol: "http".to_owned(),
            channel_address: "127.0.0.1".to_owned(),
            ..Default::default()
        }),
        runtime_version: RUNTIME_VERSION.to_owned(),
        actor_runtime: Some(ActorRuntime {
            runtime_status: ActorRuntimeStatus::Disabled.into(),
            placement: "placement: disconnected".to_owned(),
            ..Default::default()
        }),
        workflows: Some(MetadataWorkflows::default()),
        ..Default::default()
    }
}
