//! The services of the gRPC port.

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
use tonic::{Status, body::Body, codegen::Service as _, service::Routes};
use tonic_health::ServingStatus;
use tonic_reflection::pb::{v1, v1alpha};

use super::{deadline_body::DeadlineBody, refusal, runtime::Runtime};
use crate::{
    api::guard::Guard,
    base::drain::Drain,
    engine::Engine,
    wire::{DESCRIPTORS, proto::dapr_server::DaprServer},
};

const DAPR: &str = "/dapr.proto.runtime.v1.Dapr/";
const HEALTH: &str = "/grpc.health.v1.Health/";
const REFLECTION: &str = "/grpc.reflection.";

/// Built on first use: parsing the descriptors takes longer than everything else at startup.
#[expect(clippy::expect_used, reason = "the descriptors come from the build script")]
static REFLECTION_ROUTER: LazyLock<Router> =
    LazyLock::new(|| reflection().expect("descriptors from the build script"));

/// Serves Dapr's runtime service, health and reflection.
///
/// Calls to Dapr's service bypass the router, whose layers would increase the number of
/// instructions for a short call by a sixth.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    guard: Arc<Guard>,
    dapr: DaprServer<Runtime>,
    health: Router,
}

impl Service {
    pub(crate) async fn new(engine: Arc<Engine>, guard: Arc<Guard>, drain: Drain) -> Self {
        let dapr = DaprServer::new(Runtime { engine, guard: guard.clone(), drain })
            .max_decoding_message_size(guard.max_body_size);
        Self { guard, dapr, health: health().await }
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
        let is_allowed = self.guard.access.check_token(request.headers());
        let max_body_size = self.guard.max_body_size;
        let explain = move |response| refusal::explain(max_body_size, response);
        match is_allowed {
            Err(error) if !path.starts_with(HEALTH) => {
                future::ok(Status::from(error).into_http()).boxed()
            }
            // Every method of Dapr's service takes a single message, so the body has a deadline.
            _ if path.starts_with(DAPR) => {
                self.dapr.clone().call(request.map(DeadlineBody::from)).map_ok(explain).boxed()
            }
            _ => {
                let is_reflection = path.starts_with(REFLECTION);
                let router = if is_reflection { &*REFLECTION_ROUTER } else { &self.health };
                let answer = router.clone().call(request);
                answer.map_ok(move |response| explain(response.map(Body::new))).boxed()
            }
        }
    }
}
