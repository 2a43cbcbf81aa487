//! The services of the gRPC port.

use std::{
    convert::Infallible,
    sync::{Arc, LazyLock},
};

use axum::{BoxError, Router, body::HttpBody};
use bytes::Bytes;
use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};
use http::{Request, Response};
use tonic::{Status, body::Body, codegen::Service as _, service::Routes};
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::pb::{v1, v1alpha};

use super::{
    call_body::{CallBody, CallKind},
    health::Health,
    methods, refusal,
    runtime::{Call, Runtime},
    until_drain::UntilDrain,
};
use crate::{
    api::{charged_body::ChargedBody, guard::Guard},
    base::drain::Drain,
    engine::Engine,
    net::RequestBody,
    wire::DESCRIPTORS,
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
    runtime: Arc<Runtime>,
    health: Router,
    drain: Drain,
}

impl Service {
    pub(crate) fn new(engine: Arc<Engine>, guard: Arc<Guard>, drain: Drain) -> Self {
        let health = Routes::new(HealthServer::new(Health(drain.clone()))).into_axum_router();
        let runtime = Arc::new(Runtime { engine, guard: guard.clone(), drain: drain.clone() });
        Self { guard, runtime, health, drain }
    }
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

impl hyper::service::Service<Request<RequestBody>> for Service {
    type Response = Response<ChargedBody<Body>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<RequestBody>) -> Self::Future {
        let path = request.uri().path();
        match self.guard.access.check_token(request.headers()) {
            Err(error) if !path.starts_with(HEALTH) => {
                let response = Status::from(error).into_http();
                return future::ok(response.map(ChargedBody::uncharged)).boxed();
            }
            _ => {}
        }
        let (charge, max_body_size) = (self.guard.charge(), self.guard.max_body_size);
        let body = |kind| {
            let charge = charge.clone();
            move |body| CallBody::new(body, kind, max_body_size, charge)
        };
        let answer = if let Some(method) = path.strip_prefix(DAPR) {
            let call = Call { runtime: self.runtime.clone(), charge: charge.clone() };
            let method = method.to_owned();
            methods::answer(call, &method, request.map(body(CallKind::OneMessage)))
        } else if path.starts_with(REFLECTION) {
            // Clients keep these calls open without a request in flight.
            let until_drain = |body| UntilDrain::new(body, self.drain.clone());
            route(&REFLECTION_ROUTER, request.map(body(CallKind::ManyMessages)).map(until_drain))
        } else {
            route(&self.health, request.map(body(CallKind::OneMessage)))
        };
        let explain = move |response| {
            let response = refusal::explain(max_body_size, response);
            response.map(|body| ChargedBody::new(body, charge))
        };
        answer.map(|response| Ok(explain(response))).boxed()
    }
}

fn route<B>(router: &Router, request: Request<B>) -> BoxFuture<'static, Response<Body>>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let answer = router.clone().call(request);
    let response = |Ok(response): Result<Response<_>, Infallible>| refusal::shorten(response);
    answer.map(response).boxed()
}
