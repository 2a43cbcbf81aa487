//! Surfaces over HTTP: Dapr's API, and metrics.

mod converse;
mod failure;
mod health;
mod metadata;
mod url;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state, map_request, map_response},
    response::Response,
    routing::{get, post, put},
};
use http::{Method, StatusCode, header::ALLOW};

use self::failure::Failure;
use crate::{sidecar::Sidecar, wire::error::Error};

/// Everything that the HTTP port serves.
pub(crate) fn router(sidecar: Arc<Sidecar>) -> Router {
    let routes = Router::new()
        .route("/v1.0-alpha1/conversation/{name}/converse", post(converse::alpha1))
        .route("/v1.0-alpha2/conversation/{name}/converse", post(converse::alpha2))
        .route("/v1.0/healthz", get(health::healthz).head(not_served))
        .route("/v1.0/healthz/outbound", get(health::outbound).head(not_served))
        .route("/v1.0/metadata", get(metadata::get).head(not_served))
        .route("/v1.0/metadata/{key}", put(metadata::set))
        .route("/v1.0/shutdown", post(shutdown))
        .fallback(not_served)
        .method_not_allowed_fallback(not_served)
        .with_state(sidecar.clone());
    // Around the routes, since a layer of theirs would see the path too late.
    Router::new()
        .fallback_service(routes)
        .layer(from_fn_with_state(sidecar, guard))
        .layer(map_request(url::clean))
        .layer(map_response(without_allow))
}

/// Lets in who may call. Health is everybody's to ask.
async fn guard(
    State(sidecar): State<Arc<Sidecar>>,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let is_health = matches!(request.uri().path(), "/v1.0/healthz" | "/v1.0/healthz/outbound");
    sidecar.access.check_browser(request.uri(), request.headers())?;
    if !(is_health && request.method() == Method::GET) {
        sidecar.access.check_token(request.headers())?;
    }
    Ok(next.run(request).await)
}

/// axum names the methods of a path beside a 404; to daprd there is no such path.
async fn without_allow(mut response: Response) -> Response {
    response.headers_mut().remove(ALLOW);
    response
}

/// The metrics port: `/metrics`, and `/` as daprd.
pub(crate) fn metrics_router(sidecar: Arc<Sidecar>) -> Router {
    let text = async |State(sidecar): State<Arc<Sidecar>>| sidecar.metrics.text();
    Router::new().route("/metrics", get(text)).route("/", get(text)).with_state(sidecar)
}

async fn shutdown(State(sidecar): State<Arc<Sidecar>>) -> StatusCode {
    sidecar.drain.start();
    StatusCode::NO_CONTENT
}

async fn not_served() -> Failure {
    Failure(Error::NotServed)
}
