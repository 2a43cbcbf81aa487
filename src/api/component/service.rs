//! The services of the component socket.

use std::{
    convert::Infallible,
    sync::{Arc, LazyLock},
};

use axum::Router;
use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use tonic::body::Body;

use super::{
    binding, conversation,
    pluggable::{ComponentCall, Pluggable},
};
use crate::{
    api::{
        charged_body::ChargedBody,
        grpc::{
            call_body::{CallBody, CallKind},
            method::not_served,
            reflection::{self, route},
            refusal,
            until_drain::UntilDrain,
        },
        guard::Guard,
    },
    base::drain::Drain,
    component::Context,
    engine::{Engine, Instances},
    net::RequestBody,
    wire::{COMPONENT_DESCRIPTORS, error::Error},
};

const CONVERSATION: &str = "/dapr.proto.components.v1.Conversation/";
const BINDING: &str = "/dapr.proto.components.v1.OutputBinding/";

/// Built on first use: parsing the descriptors takes long.
#[expect(clippy::expect_used, reason = "the descriptors come from the build script")]
static REFLECTION_ROUTER: LazyLock<Router> = LazyLock::new(|| {
    reflection::router(&[COMPONENT_DESCRIPTORS]).expect("descriptors from the build script")
});

/// Serves a conversation component, an output binding and reflection. daprd sends no token: the
/// mode of the socket file decides who may call.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    component: Arc<Pluggable>,
    drain: Drain,
}

impl Service {
    /// Creates the service of one socket.
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        context: Context,
        drain: Drain,
    ) -> Self {
        let instances = Instances::default();
        Self { component: Arc::new(Pluggable { engine, guard, context, instances }), drain }
    }
}

impl hyper::service::Service<Request<RequestBody>> for Service {
    type Response = Response<ChargedBody<Body>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<RequestBody>) -> Self::Future {
        let guard = &self.component.guard;
        let (charge, max_body_size) = (guard.charge(), guard.max_body_size);
        let body = |kind| {
            let charge = charge.clone();
            move |body| CallBody::new(body, kind, max_body_size, charge)
        };
        let call = || ComponentCall { component: self.component.clone(), charge: charge.clone() };
        let path = request.uri().path().to_owned();
        let answer = if let Some(method) = path.strip_prefix(CONVERSATION) {
            conversation::answer(call(), method, request.map(body(CallKind::OneMessage)))
        } else if let Some(method) = path.strip_prefix(BINDING) {
            binding::answer(call(), method, request.map(body(CallKind::OneMessage)))
        } else if path.starts_with(reflection::PREFIX) {
            // Clients keep these calls open without a request in flight.
            let until_drain = |body| UntilDrain::new(body, self.drain.clone());
            route(&REFLECTION_ROUTER, request.map(body(CallKind::ManyMessages)).map(until_drain))
        } else {
            not_served(Error::NotServed)
        };
        let explain = move |response| {
            let response = refusal::explain(max_body_size, response);
            response.map(|body| ChargedBody::new(body, charge))
        };
        answer.map(|response| Ok(explain(response))).boxed()
    }
}
