//! What happens to every gRPC call before and after its method, and the calls that reach other
//! services of tonic, such as server reflection.

use std::{convert::Infallible, pin::Pin, task::Poll};

use axum::{BoxError, Router, body::HttpBody};
use bytes::Bytes;
use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
    stream,
};
use http::{HeaderValue, Request, Response, header::CONTENT_TYPE};
use http_body_util::StreamBody;
use hyper::body::Frame;
use tonic::{Status, body::Body, codegen::Service as _, service::Routes};
use tonic_reflection::{
    pb::{v1, v1alpha},
    server::{Builder, Error},
};

use super::{
    call_body::{CallBody, CallKind},
    method::Responding,
    refusal,
};
use crate::{
    api::access::Guard,
    base::{delivery::Delivery, drain::Drain},
    net::RequestBody,
};

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
            route(router, request.map(|body| until_drain(body, drain)))
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

/// Moves the status from the headers of a response to its trailers, unless it is delivered there. The
/// transport does not send the trailers of a response that breaks off.
fn deliver(delivery: Delivery, response: Response<Body>) -> Response<Body> {
    let has_status = || response.headers().contains_key(Status::GRPC_STATUS);
    if delivery == Delivery::Status || !has_status() {
        return response;
    }
    let mut trailers = response.into_parts().0.headers;
    trailers.remove(CONTENT_TYPE);
    let trailers = Frame::trailers(trailers);
    let frames = stream::once(future::ready(Ok::<_, Infallible>(trailers)));
    let mut response = Response::new(Body::new(StreamBody::new(frames)));
    let media_type = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

/// What the paths of both versions of reflection start with.
pub(crate) const REFLECTION: &str = "/grpc.reflection.";

/// Returns the router of both versions, which describe the services in these encoded descriptors and
/// themselves.
pub(crate) fn reflection(descriptors: &'static [&'static [u8]]) -> Result<Router, Error> {
    let builder = || {
        let own = [v1::FILE_DESCRIPTOR_SET, v1alpha::FILE_DESCRIPTOR_SET];
        let builder = Builder::configure().include_reflection_service(false);
        let all = descriptors.iter().copied().chain(own);
        all.fold(builder, |builder, set| builder.register_encoded_file_descriptor_set(set))
    };
    let routes = Routes::new(builder().build_v1()?).add_service(builder().build_v1alpha()?);
    Ok(routes.into_axum_router())
}

/// Answers a call of one of tonic's services.
pub(crate) fn route<B>(router: &Router, request: Request<B>) -> Responding
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let answer = router.clone().call(request);
    answer.map(|Ok(response): Result<_, Infallible>| refusal::shorten(response)).boxed()
}

/// Returns a body that ends when draining starts and the data that has arrived is read.
fn until_drain<B>(mut body: B, drain: Drain) -> impl HttpBody<Data = B::Data, Error = B::Error>
where
    B: HttpBody + Unpin,
{
    let mut drained = async move { drain.started().await }.boxed();
    let frames = stream::poll_fn(move |cx| match Pin::new(&mut body).poll_frame(cx) {
        Poll::Pending => drained.poll_unpin(cx).map(|()| None),
        ready => ready,
    });
    StreamBody::new(frames)
}
