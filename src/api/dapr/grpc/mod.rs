//! The gRPC surface: Dapr's runtime service, health and reflection.

mod runtime;

use std::{
    convert::Infallible,
    sync::{Arc, LazyLock},
};

use axum::Router;
use futures_util::{
    FutureExt, StreamExt, future,
    stream::{self, BoxStream},
};
use http::{Request, Response};
use tonic::{Status, body::Body, service::Routes};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse,
    health_check_response::ServingStatus,
    health_server::{self, HealthServer},
};

use self::runtime::{Runtime, RuntimeCall};
use crate::{
    api::{
        access::Guard,
        forward::GrpcForward,
        grpc::{
            incoming::{self, Incoming, Served, route},
            refusal,
        },
    },
    base::drain::Drain,
    engine::Engine,
    net::RequestBody,
    wire::{DESCRIPTORS, error::Error},
};

const HEALTH: &str = "/grpc.health.v1.Health/";

/// Built on first use: parsing the descriptors takes longer than everything else at startup.
#[expect(clippy::expect_used, reason = "the descriptors come from the build script")]
static REFLECTION_ROUTER: LazyLock<Router> = LazyLock::new(|| {
    let descriptors = &[DESCRIPTORS, tonic_health::pb::FILE_DESCRIPTOR_SET];
    incoming::reflection(descriptors).expect("descriptors from the build script")
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
    /// Whether the address belongs to a session, so that daprd outlives it.
    is_of_session: bool,
}

impl Service {
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        drain: Drain,
        forward: Option<GrpcForward>,
        is_of_session: bool,
    ) -> Self {
        let health = Health { drain: drain.clone(), forward: forward.clone() };
        let health = Routes::new(HealthServer::new(health)).into_axum_router();
        let runtime = Arc::new(Runtime { engine, guard: guard.clone(), drain: drain.clone() });
        Self { guard, runtime, health, drain, forward, is_of_session }
    }

    /// Returns `true` if mynah answers a method even if a daprd is behind it.
    fn serves(&self, path: &str) -> bool {
        match path.strip_prefix(runtime::PREFIX) {
            Some("Shutdown") => self.is_of_session,
            Some(method) => runtime::CONVERSATION.contains(&method),
            None => path.starts_with(HEALTH),
        }
    }

    /// Passes on a call that mynah does not serve.
    fn forward(&self, forward: &GrpcForward, request: Request<RequestBody>) -> Served {
        let response = match request.uri().path().strip_prefix(runtime::PREFIX) {
            Some("GetMetadata") => forward.metadata(request),
            Some("Shutdown") => {
                // daprd and mynah shut down together.
                let drain = self.drain.clone();
                forward.call(request).inspect(move |_| drain.start()).boxed()
            }
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
        if let Some(refusal) = refusal::refuse(&request) {
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
            && !self.serves(path)
        {
            return self.forward(forward, request);
        }
        let incoming = |request| Incoming::new(&self.guard, request);
        if path.starts_with(runtime::PREFIX) {
            let transport = request.body().call().clone();
            let call = RuntimeCall { runtime: self.runtime.clone(), transport };
            incoming(request).answer(|request| runtime::answer(call, request))
        } else if path.starts_with(incoming::REFLECTION) {
            incoming(request).reflect(&REFLECTION_ROUTER, &self.drain)
        } else {
            incoming(request).answer(|request| route(&self.health, request))
        }
    }
}

/// The names under which clients check mynah: the whole server, and Dapr's service.
const SERVICES: [&str; 2] = ["", "dapr.proto.runtime.v1.Dapr"];

/// The health of a sidecar: it serves until draining starts, if the daprd behind it can be reached.
#[derive(Debug)]
struct Health {
    drain: Drain,
    /// The daprd behind the sidecar, if there is one.
    forward: Option<GrpcForward>,
}

#[tonic::async_trait]
impl health_server::Health for Health {
    async fn check(
        &self,
        request: tonic::Request<HealthCheckRequest>,
    ) -> Result<tonic::Response<HealthCheckResponse>, Status> {
        check_name(&request)?;
        let is_reachable = match &self.forward {
            Some(forward) => forward.is_reachable().await,
            None => true,
        };
        Ok(tonic::Response::new(health(is_reachable && !self.drain.has_started())))
    }

    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    /// Streams the health until draining starts.
    async fn watch(
        &self,
        request: tonic::Request<HealthCheckRequest>,
    ) -> Result<tonic::Response<Self::WatchStream>, Status> {
        check_name(&request)?;
        let drain = self.drain.clone();
        let serving = stream::iter((!drain.has_started()).then(|| health(true)));
        let not_serving = stream::once(async move {
            drain.started().await;
            health(false)
        });
        Ok(tonic::Response::new(serving.chain(not_serving).map(Ok).boxed()))
    }
}

fn check_name(request: &tonic::Request<HealthCheckRequest>) -> Result<(), Status> {
    let is_known = SERVICES.contains(&request.get_ref().service.as_str());
    if is_known { Ok(()) } else { Err(Error::UnknownService.into()) }
}

fn health(is_serving: bool) -> HealthCheckResponse {
    let status = if is_serving { ServingStatus::Serving } else { ServingStatus::NotServing };
    HealthCheckResponse { status: status.into() }
}
