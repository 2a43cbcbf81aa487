//! `/v1.0/metadata` in daprd's JSON, which differs from the proto JSON of the same message, and
//! `/v1.0/healthz`. mynah is healthy as soon as it listens.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Extension,
    body::Body,
    extract::{Query, State},
    response::Response,
};
use http::{StatusCode, Uri};
use serde::{Deserialize, Serialize};

use crate::{
    api::{
        access::Guard,
        dapr::metadata::metadata,
        http::{body, response::json, url},
    },
    engine::Engine,
    net::TransportCall,
    wire::{error::Error, proto},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    id: &'a str,
    runtime_version: &'a str,
    components: Vec<Component<'a>>,
    extended: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app_connection_properties: Option<AppConnection<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_runtime: Option<ActorRuntime<'a>>,
}

#[derive(Serialize)]
struct Component<'a> {
    name: &'a str,
    r#type: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AppConnection<'a> {
    protocol: &'a str,
    channel_address: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActorRuntime<'a> {
    runtime_status: &'static str,
    host_ready: bool,
    placement: &'a str,
}

impl<'a> From<&'a proto::GetMetadataResponse> for Metadata<'a> {
    fn from(metadata: &'a proto::GetMetadataResponse) -> Self {
        let components = metadata.registered_components.iter().map(|component| Component {
            name: &component.name,
            r#type: &component.r#type,
            version: &component.version,
        });
        let app = metadata.app_connection_properties.as_ref().map(|app| AppConnection {
            protocol: &app.protocol,
            channel_address: &app.channel_address,
        });
        let actors = metadata.actor_runtime.as_ref().map(|actors| ActorRuntime {
            runtime_status: actors.runtime_status().as_str_name(),
            host_ready: actors.host_ready,
            placement: &actors.placement,
        });
        Self {
            id: &metadata.id,
            runtime_version: &metadata.runtime_version,
            components: components.collect(),
            extended: &metadata.extended_metadata,
            app_connection_properties: app,
            actor_runtime: actors,
        }
    }
}

pub(super) async fn get_metadata(State(engine): State<Arc<Engine>>) -> Response {
    let metadata = metadata(&engine);
    // Serializing strings cannot fail. As in daprd, only this JSON answer ends with a line break.
    let body = serde_json::to_string(&Metadata::from(&metadata)).unwrap_or_default() + "\n";
    json(body)
}

pub(super) async fn set_metadata(
    State(engine): State<Arc<Engine>>,
    Extension(guard): Extension<Arc<Guard>>,
    Extension(call): Extension<TransportCall>,
    uri: Uri,
    body: Body,
) -> Result<StatusCode, Error> {
    const KEY: usize = 2;
    let key = url::segment(&uri, KEY)?;
    let value = body::read(body, guard.max_body_size, call.charge()).await?;
    engine.labels.set(key, String::from_utf8_lossy(&value).into_owned())?;
    Ok(StatusCode::NO_CONTENT)
}

/// The query parameters of a health check.
#[derive(Debug, Deserialize)]
pub(super) struct HealthQuery {
    appid: Option<String>,
}

pub(super) async fn healthz(
    State(engine): State<Arc<Engine>>,
    Query(query): Query<HealthQuery>,
) -> Result<StatusCode, Error> {
    match query.appid {
        Some(id) if id != engine.app_id => Err(Error::AppIdMismatch),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

pub(super) async fn outbound() -> StatusCode {
    StatusCode::NO_CONTENT
}
