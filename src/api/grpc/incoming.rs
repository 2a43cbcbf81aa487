//! What happens to every gRPC call before and after its method.

use std::convert::Infallible;

use axum::Router;
use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use tonic::body::Body;

use super::{
    call_body::{CallBody, CallKind},
    delivery::deliver,
    method::Responding,
    reflection::route,
    refusal,
    until_drain::UntilDrain,
};
use crate::{api::guard::Guard, base::drain::Drain, net::RequestBody};

/// The answer of a service to hyper.
pub(crate) type Served = BoxFuture<'static, Result<Response<Body>, Infallible>>;

/// A call whose request has not been read.
pub(crate) struct Incoming {
    request: Request<RequestBody>,
    max_body_size: usize,
}

impl Incoming {
    pub(crate) fn new(guard: &Guard, request: Request<RequestBody>) -> Self {
        Self { request, max_body_size: guard.max_body_size }
    }

    /// Answers with a method that takes one message.
    pub(crate) fn answer(self, method: impl FnOnce(Request<CallBody>) -> Responding) -> Served {
        self.answer_kind(CallKind::OneMessage, method)
    }

    /// Answers with reflection. Clients keep these calls open without a request in flight.
    pub(crate) fn reflect(self, router: &Router, drain: &Drain) -> Served {
        let drain = drain.clone();
        self.answer_kind(CallKind::ManyMessages, |request| {
            route(router, request.map(|body| UntilDrain::new(body, drain)))
        })
    }

    fn answer_kind(
        self,
        kind: CallKind,
        method: impl FnOnce(Request<CallBody>) -> Responding,
    ) -> Served {
        let Self { request, max_body_size } = self;
        let call = request.body().call().clone();
        let request = request.map(|body| CallBody::new(body, kind, max_body_size));
        let explain =
            move |response| Ok(deliver(call.delivery(), refusal::explain(max_body_size, response)));
        method(request).map(explain).boxed()
    }
}
