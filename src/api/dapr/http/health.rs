//! `/v1.0/healthz` and `/v1.0/healthz/outbound`. mynah is healthy as soon as it listens.

use std::sync::Arc;

use axum::extract::{Query, State};
use http::StatusCode;
use serde::Deserialize;

use super::Failure;
use crate::{engine::Engine, wire::error::Error};

/// The query parameters of a health check.
#[derive(Debug, Deserialize)]
pub(super) struct HealthQuery {
    appid: Option<String>,
}

pub(super) async fn healthz(
    State(engine): State<Arc<Engine>>,
    Query(query): Query<HealthQuery>,
) -> Result<StatusCode, Failure> {
    match query.appid {
        Some(id) if id != engine.app_id => Err(Error::AppIdMismatch.into()),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

pub(super) async fn outbound() -> StatusCode {
    StatusCode::NO_CONTENT
}
