//! Surfaces over HTTP: Dapr's API, and metrics.

mod converse;
mod failure;
mod health;
mod metadata;
mod service;
mod url;

use std::sync::Arc;

use axum::{Router, extract::State, routing::get};

use self::failure::Failure;
pub(crate) use self::service::Service;
use crate::api::sidecar::Sidecar;

/// The metrics port: `/metrics`, and `/` as daprd.
pub(crate) fn metrics_router(sidecar: Arc<Sidecar>) -> Router {
    let text = async |State(sidecar): State<Arc<Sidecar>>| sidecar.metrics.text();
    Router::new().route("/metrics", get(text)).route("/", get(text)).with_state(sidecar)
}
