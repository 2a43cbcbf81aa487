//! What happens to every gRPC call before and after its method.

use std::{convert::Infallible, sync::Arc};

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
use crate::{
    api::{guard::Guard, holding_body::ChargedBody},
    base::{drain::Drain, memory::Charge},
    net::RequestBody,
};

/// The answer of a service to hyper.
pub(in crate::api) type Served =
    BoxFuture<'static, Result<Response<ChargedBody<Body>>, Infallible>>;

/// A call whose request has not been read. Its memory is charged until its response is sent.
pub(in crate::api) struct Incoming {
    request: Request<RequestBody>,
    max_body_size: usize,
    pub(in crate::api) charge: Arc<Charge>,
}

impl Incoming {
    pub(in crate::api) fn new(guard: &Guard, request: Request<RequestBody>) -> Self {
        Self { request, max_body_size: guard.max_body_size, charge: guard.charge() }
    }

    /// Answers with a method that takes one message.
    pub(in crate::api) fn answer(
        self,
        method: impl FnOnce(Request<CallBody>) -> Responding,
    ) -> Served {
        self.answer_kind(CallKind::OneMessage, method)
    }

    /// Answers with reflection. Clients keep these calls open without a request in flight.
    pub(in crate::api) fn reflect(self, router: &Router, drain: &Drain) -> Served {
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
        let Self { request, max_body_size, charge } = self;
        let request = request.map(|body| CallBody::new(body, kind, max_body_size, charge.clone()));
        let explain = move |response| {
            let response = deliver(refusal::explain(max_body_size, response));
            Ok(response.map(|body| ChargedBody::new(body, charge)))
        };
        method(request).map(explain).boxed()
    }
}
