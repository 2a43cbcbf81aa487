//! The services of the gRPC port.

use std::{
    convert::Infallible,
    sync::{Arc, LazyLock},
};

use axum::Router;
use futures_util::{FutureExt, future};
use http::{Request, Response};
use tonic::{Status, body::Body, service::Routes};
use tonic_health::pb::health_server::HealthServer;

use super::{
    health::Health,
    methods,
    runtime::{Runtime, RuntimeCall},
};
use crate::{
    api::{
        forward::GrpcForward,
        grpc::{
            incoming::{Incoming, Served},
            protocol,
            reflection::{self, route},
        },
        guard::Guard,
    },
    base::drain::Drain,
    engine::Engine,
    net::RequestBody,
    wire::DESCRIPTORS,
};

const HEALTH: &str = "/grpc.health.v1.Health/";

/// Built on first use: parsing the descriptors takes longer than everything else at startup.
#[expect(clippy::expect_used, reason = "the descriptors come from the build script")]
static REFLECTION_ROUTER: LazyLock<Router> = LazyLock::new(|| {
    let descriptors = &[DESCRIPTORS, tonic_health::pb::FILE_DESCRIPTOR_SET];
    reflection::router(descriptors).expect("descriptors from the build script")
});

/// Serves Dapr's runtime service, health and reflection.
///
/// Calls to Dapr's service bypass the router, whose layers would increase the number of
/// instructions for a short call by a sixth.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    guard: Arc<Guard>,
    runtime: Arc<Runtime>,
    health: Router,
    drain: Drain,
    /// Passes on everything but conversations and health, if a daprd is behind mynah.
    forward: Option<GrpcForward>,
}

impl Service {
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        drain: Drain,
        forward: Option<GrpcForward>,
    ) -> Self {
        let health = Health { drain: drain.clone(), forward: forward.clone() };
        let health = Routes::new(HealthServer::new(health)).into_axum_router();
        let runtime = Arc::new(Runtime { engine, guard: guard.clone(), drain: drain.clone() });
        Self { guard, runtime, health, drain, forward }
    }

    /// Passes on a call that mynah does not serve.
    fn forward(&self, forward: &GrpcForward, request: Request<RequestBody>) -> Served {
        let response = match request.uri().path().strip_prefix(methods::PREFIX) {
            Some("GetMetadata") => forward.metadata(request),
            Some("Shutdown") => forward.shutdown(request, self.drain.clone()),
            _ => forward.call(request),
        };
        response.map(Ok).boxed()
    }
}

impl hyper::service::Service<Request<RequestBody>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Served;

    fn call(&self, request: Request<RequestBody>) -> Self::Future {
        if let Some(refusal) = protocol::refuse(&request) {
            return future::ok(refusal).boxed();
        }
        let path = request.uri().path();
        match self.guard.access.check_token(request.headers()) {
            Err(error) if !path.starts_with(HEALTH) => {
                let response = Status::from(error).into_http();
                return future::ok(response).boxed();
            }
            _ => {}
        }
        if let Some(forward) = &self.forward
            && !is_served(path)
        {
            return self.forward(forward, request);
        }
        let incoming = |request| Incoming::new(&self.guard, request);
        if path.starts_with(methods::PREFIX) {
            let transport = request.body().call().clone();
            let call = RuntimeCall { runtime: self.runtime.clone(), transport };
            incoming(request).answer(|request| methods::answer(call, request))
        } else if path.starts_with(reflection::PREFIX) {
            incoming(request).reflect(&REFLECTION_ROUTER, &self.drain)
        } else {
            incoming(request).answer(|request| route(&self.health, request))
        }
    }
}

/// Returns `true` if mynah answers a method even if a daprd is behind it.
fn is_served(path: &str) -> bool {
    match path.strip_prefix(methods::PREFIX) {
        Some(method) => methods::CONVERSATION.contains(&method),
        None => path.starts_with(HEALTH),
    }
}
