//! What answers on the gRPC port.

use std::{
    convert::Infallible,
    sync::{Arc, LazyLock},
};

use axum::Router;
use futures_util::{
    FutureExt, TryFutureExt,
    future::{self, BoxFuture},
};
use http::{Request, Response};
use hyper::body::Incoming;
use tonic::{Status, body::Body, service::Routes};
use tonic_health::ServingStatus;
use tonic_reflection::pb::{v1, v1alpha};
use tower::{Service as _, ServiceExt};

use super::{
    refusal::{self, Limits},
    runtime::Runtime,
    timely::Timely,
};
use crate::{
    api::sidecar::Sidecar,
    wire::{DESCRIPTORS, proto::dapr_server::DaprServer},
};

/// Paths of Dapr's service, of the one that is everybody's to ask, and of reflection.
const DAPR: &str = "/dapr.proto.runtime.v1.Dapr/";
const HEALTH: &str = "/grpc.health.v1.Health/";
const REFLECTION: &str = "/grpc.reflection.";

/// Built at first use: to read the descriptors takes longer than all else that a start does.
#[expect(clippy::expect_used, reason = "the build script made these descriptors")]
static DESCRIBED: LazyLock<Router> =
    LazyLock::new(|| reflection().expect("the build script made these descriptors"));

/// Everything that the gRPC port serves.
///
/// Calls of Dapr's service go to it straight: a router with its layers would add a sixth to the
/// instructions of a short one.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    sidecar: Arc<Sidecar>,
    limits: Limits,
    dapr: DaprServer<Runtime>,
    health: Router,
}

impl Service {
    pub(crate) async fn new(sidecar: Arc<Sidecar>) -> Self {
        let limits = Limits { max_body_size: sidecar.max_body_size };
        let dapr = DaprServer::new(Runtime::new(sidecar.clone()))
            .max_decoding_message_size(limits.max_body_size);
        Self { sidecar, limits, dapr, health: health().await }
    }
}

async fn health() -> Router {
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_service_status("dapr.proto.runtime.v1.Dapr", ServingStatus::Serving).await;
    Routes::new(health).into_axum_router()
}

fn reflection() -> Result<Router, tonic_reflection::server::Error> {
    let builder = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(v1::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(v1alpha::FILE_DESCRIPTOR_SET)
            .include_reflection_service(false)
    };
    let routes = Routes::new(builder().build_v1()?).add_service(builder().build_v1alpha()?);
    Ok(routes.into_axum_router())
}

impl hyper::service::Service<Request<Incoming>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let path = request.uri().path();
        let allowed = self.sidecar.access.check_token(request.headers());
        let limits = self.limits;
        let explain = move |response| refusal::explain(limits, response);
        match allowed {
            Err(error) if !path.starts_with(HEALTH) => {
                future::ok(Status::from(error).into_http()).boxed()
            }
            // All of Dapr's calls take one message, which has to come in time.
            _ if path.starts_with(DAPR) => {
                self.dapr.clone().call(request.map(Timely::from)).map_ok(explain).boxed()
            }
            _ => {
                let is_reflection = path.starts_with(REFLECTION);
                let router = if is_reflection { &*DESCRIBED } else { &self.health };
                let answer = router.clone().oneshot(request);
                answer.map_ok(move |response| explain(response.map(Body::new))).boxed()
            }
        }
    }
}
