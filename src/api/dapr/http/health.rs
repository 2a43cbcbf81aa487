//! `/v1.0/healthz` and `/v1.0/healthz/outbound`. A mynah that listens is healthy.

use std::sync::Arc;

use axum::extract::{Query, State};
use http::StatusCode;
use serde::Deserialize;

use super::Failure;
use crate::{api::sidecar::Sidecar, wire::error::Error};

/// What a check may ask for.
#[derive(Debug, Deserialize)]
pub(super) struct Check {
    appid: Option<String>,
}

pub(super) async fn healthz(
    State(sidecar): State<Arc<Sidecar>>,
    Query(check): Query<Check>,
) -> Result<StatusCode, Failure> {
    match check.appid {
        Some(id) if id != sidecar.app_id => Err(Failure(Error::AppIdMismatch)),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

pub(super) async fn outbound() -> StatusCode {
    StatusCode::NO_CONTENT
}
