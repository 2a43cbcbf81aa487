//! Forwards gRPC calls.

use std::{
    error::Error as StdError,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{FutureExt, TryFutureExt, future::BoxFuture};
use http::{HeaderMap, Request, Response, Uri, header::CONTENT_LENGTH, uri::Authority};
use http_body_util::{BodyExt, Full};
use hyper::body::{Frame, Incoming, SizeHint};
use tonic::{Status, body::Body};

use super::{
    listing::{Listing, read_metadata},
    pool::{Place, Pool, unavailable},
};
use crate::{base::endpoint::Endpoint, net::RequestBody, wire::error::Error};

/// A flag for compression and the length of the message.
const PREFIX: usize = 5;
/// Streams that may wait for their first response without limit, and do not delay a drain.
const STREAMS: [&str; 1] = ["/TaskHubSidecarService/GetWorkItems"];

/// Passes gRPC calls on to daprd.
#[derive(Debug, Clone)]
pub(crate) struct GrpcForward {
    pool: Pool,
    authority: Option<Authority>,
    listing: Listing,
}

impl GrpcForward {
    pub(crate) fn new(endpoint: Endpoint, listing: Listing) -> Self {
        let authority = endpoint.to_string().parse().ok();
        Self { pool: Pool::new(endpoint), authority, listing }
    }

    /// Passes a call on, and its response back.
    pub(crate) fn call(&self, request: Request<RequestBody>) -> BoxFuture<'static, Response<Body>> {
        let forward = self.clone();
        async move { forward.answer(request).await.unwrap_or_else(failure) }.boxed()
    }

    /// Passes on a call of `GetMetadata` and adds mynah's components to the response.
    pub(crate) fn metadata(
        &self,
        mut request: Request<RequestBody>,
    ) -> BoxFuture<'static, Response<Body>> {
        let forward = self.clone();
        // The response must not be compressed.
        request.headers_mut().remove("grpc-accept-encoding");
        async move {
            let answer = forward.answer(request).and_then(|it| forward.with_components(it));
            answer.await.unwrap_or_else(failure)
        }
        .boxed()
    }

    /// Returns `true` if daprd accepts connections.
    pub(crate) async fn is_reachable(&self) -> bool {
        self.pool.check().await.is_ok()
    }

    async fn answer(&self, mut request: Request<RequestBody>) -> Result<Response<Body>, Error> {
        let call = request.body_mut().pass_on();
        if STREAMS.contains(&request.uri().path()) {
            call.set_open_ended();
        }
        *request.uri_mut() = self.target(request.uri());
        let (response, place) = self.pool.send(request).await?;
        // Whether the call is unary or a stream, its response is on its way.
        call.set_open_ended();
        let address = self.pool.address.clone();
        Ok(response.map(|body| Body::new(GrpcBody::new(body, address, place))))
    }

    /// Returns the URI of a call at daprd.
    fn target(&self, uri: &Uri) -> Uri {
        let mut parts = uri.clone().into_parts();
        parts.scheme = Some(http::uri::Scheme::HTTP);
        parts.authority = self.authority.clone().or(parts.authority);
        Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
    }

    async fn with_components(&self, response: Response<Body>) -> Result<Response<Body>, Error> {
        let (mut head, body) = response.into_parts();
        let body = read_metadata(body, &self.pool.address).await?;
        let trailers = body.trailers().cloned();
        let body = body.to_bytes();
        if body.is_empty() && trailers.is_none() {
            // The headers have an error and end the response. gRPC's C core accepts no data after them.
            return Ok(Response::from_parts(head, Body::empty()));
        }
        let merged = message(&body).and_then(|message| self.listing.add_to_message(message));
        head.headers.remove(CONTENT_LENGTH);
        let body = Full::new(merged.map_or(body, |message| framed(&message)));
        let body = body.with_trailers(std::future::ready(trailers.map(Ok)));
        Ok(Response::from_parts(head, Body::new(body)))
    }
}

fn failure(error: Error) -> Response<Body> {
    Status::from(error).into_http()
}

/// Returns the content of a body with one message, which is not compressed.
fn message(body: &[u8]) -> Option<&[u8]> {
    let (prefix, message) = body.split_first_chunk::<PREFIX>()?;
    let [is_compressed, length @ ..] = *prefix;
    (is_compressed == 0 && u32::from_be_bytes(length) as usize == message.len()).then_some(message)
}

/// Returns a body with one message.
fn framed(message: &[u8]) -> Bytes {
    let mut body = BytesMut::with_capacity(PREFIX + message.len());
    body.put_u8(0);
    // Merging adds less than the limit of a length, 4 GiB.
    body.put_u32(u32::try_from(message.len()).unwrap_or_default());
    body.put_slice(message);
    body.freeze()
}

/// A body that holds the place of its call. If the connection to daprd is lost, it ends with
/// trailers that say so.
struct GrpcBody {
    body: Incoming,
    address: Arc<str>,
    is_lost: bool,
    _place: Place,
}

impl GrpcBody {
    fn new(body: Incoming, address: Arc<str>, place: Place) -> Self {
        Self { body, address, is_lost: false, _place: place }
    }
}

impl hyper::body::Body for GrpcBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        if self.is_lost {
            return Poll::Ready(None);
        }
        match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            // The client gets the same reset.
            Some(Err(error)) if is_reset(&error) => Poll::Ready(Some(Err(error))),
            Some(Err(error)) => {
                self.is_lost = true;
                let status = Status::from(unavailable(&self.address, &error));
                Poll::Ready(Some(Ok(Frame::trailers(trailers(&status)))))
            }
            frame => Poll::Ready(frame),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_lost || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // The length that daprd announced may not arrive.
        SizeHint::default()
    }
}

/// Returns `true` if daprd has reset the call, and not lost the connection.
fn is_reset(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<h2::Error>());
    cause.is_some_and(|cause| cause.is_reset())
}

fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    // Fails only if a header is invalid, and tonic encodes the message.
    let _ = status.add_header(&mut trailers);
    trailers
}
