//! `/v1.0/metadata`, in the form that daprd gives it, which is not quite proto JSON.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{StatusCode, Uri, header::CONTENT_TYPE};
use serde::Serialize;

use super::{Failure, converse::read_body, url};
use crate::{
    api::sidecar::{RUNTIME_VERSION, Sidecar},
    engine::dispatch::Component,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    id: &'a str,
    runtime_version: &'static str,
    components: Vec<Registered<'a>>,
    extended: BTreeMap<String, String>,
    app_connection_properties: AppConnection,
    actor_runtime: ActorRuntime,
}

#[derive(Serialize)]
struct Registered<'a> {
    name: &'a str,
    r#type: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AppConnection {
    protocol: &'static str,
    channel_address: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActorRuntime {
    runtime_status: &'static str,
    host_ready: bool,
    placement: &'static str,
}

pub(super) async fn get(State(sidecar): State<Arc<Sidecar>>) -> Response {
    let components = sidecar.components.all();
    let metadata = Metadata {
        id: &sidecar.app_id,
        runtime_version: RUNTIME_VERSION,
        components: components.iter().map(|component| registered(component)).collect(),
        extended: sidecar.extended_metadata(),
        app_connection_properties: AppConnection { protocol: "http", channel_address: "127.0.0.1" },
        actor_runtime: ActorRuntime {
            runtime_status: "DISABLED",
            host_ready: false,
            placement: "placement: disconnected",
        },
    };
    // Strings can always be written. daprd ends this answer, and no other, with a line break.
    let body = serde_json::to_string(&metadata).unwrap_or_default() + "\n";
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

fn registered(component: &Component) -> Registered<'_> {
    Registered { name: &component.name, r#type: &component.kind, version: &component.version }
}

pub(super) async fn set(
    State(sidecar): State<Arc<Sidecar>>,
    uri: Uri,
    body: Body,
) -> Result<StatusCode, Failure> {
    const KEY: usize = 2;
    let key = url::segment(&uri, KEY)?;
    let value = read_body(body, sidecar.max_body_size).await?;
    sidecar.labels.set(key, String::from_utf8_lossy(&value).into_owned())?;
    Ok(StatusCode::NO_CONTENT)
}
