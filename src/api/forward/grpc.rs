//! Forwards gRPC calls.

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response, Uri, header::CONTENT_LENGTH, uri::Authority};
use http_body_util::{BodyExt, Full};
use tonic::{Status, body::Body};

use super::{
    grpc_body::GrpcBody,
    listing::{Listing, read_metadata},
    pool::Pool,
};
use crate::{
    base::{drain::Drain, endpoint::Endpoint},
    net::RequestBody,
    wire::error::Error,
};

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
            let answer = async {
                let response = forward.answer(request).await?;
                forward.with_components(response).await
            };
            answer.await.unwrap_or_else(failure)
        }
        .boxed()
    }

    /// Passes on a call of `Shutdown`, and also shuts mynah down.
    pub(crate) fn shutdown(
        &self,
        request: Request<RequestBody>,
        drain: Drain,
    ) -> BoxFuture<'static, Response<Body>> {
        let response = self.call(request);
        response.inspect(move |_| drain.start()).boxed()
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
        let address = self.pool.address().clone();
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
        let body = read_metadata(body, self.pool.address()).await?;
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
