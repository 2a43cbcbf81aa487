//! Surfaces over gRPC: Dapr's runtime service, health, and reflection.

mod refusal;
mod runtime;
mod timely;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state, map_response_with_state},
    response::Response,
};
use tonic::{Status, service::Routes};
use tonic_health::ServingStatus;
use tonic_reflection::pb::{v1, v1alpha};

use self::{refusal::Limits, runtime::Runtime, timely::timely};
use crate::{
    sidecar::Sidecar,
    wire::{DESCRIPTORS, proto::dapr_server::DaprServer},
};

/// Everything that the gRPC port serves.
pub(crate) async fn router(
    sidecar: Arc<Sidecar>,
) -> Result<Router, tonic_reflection::server::Error> {
    let limits = Limits { max_body_size: sidecar.max_body_size };
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_service_status("dapr.proto.runtime.v1.Dapr", ServingStatus::Serving).await;
    let runtime = DaprServer::new(Runtime::new(sidecar.clone()))
        .max_decoding_message_size(limits.max_body_size);
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(v1::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(v1alpha::FILE_DESCRIPTOR_SET)
            .include_reflection_service(false)
    };
    let routes = Routes::new(runtime)
        .add_service(health)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?);
    let router = routes.into_axum_router();
    Ok(router
        .layer(map_response_with_state(limits, refusal::explain))
        .layer(from_fn_with_state(sidecar, guard)))
}

/// Lets in who knows the token. Health is everybody's to ask. All of Dapr's calls take one message,
/// while those of reflection may go on for as long as the client likes.
async fn guard(State(sidecar): State<Arc<Sidecar>>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_health = path.starts_with("/grpc.health.v1.Health/");
    if path.starts_with("/dapr.proto.runtime.v1.Dapr/") {
        request = request.map(timely);
    }
    match sidecar.access.check_token(request.headers()) {
        Err(error) if !is_health => Status::from(error).into_http(),
        _ => next.run(request).await,
    }
}
