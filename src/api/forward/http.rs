//! Forwards HTTP requests. Each thread has a pool of HTTP/1.1 connections to daprd.

use std::{cell::OnceCell, sync::Arc, time::Duration};

use axum::{
    BoxError,
    body::{Body, HttpBody},
    response::Response,
};
use futures_util::{FutureExt, TryFutureExt, future::BoxFuture};
use http::{
    HeaderValue, Method, Request, Uri, Version,
    header::{ACCEPT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING},
    uri::{Authority, PathAndQuery, Scheme},
};
use hyper::{body::Incoming, upgrade::OnUpgrade};
use hyper_util::{
    client::legacy::{self, Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use tokio::io::copy_bidirectional;

use super::{
    headers,
    listing::{Listing, read_metadata},
    pool::{CONNECT_TIMEOUT, unavailable},
};
use crate::{
    api::http::response::respond,
    base::endpoint::Endpoint,
    net::RequestBody,
    wire::error::{Error, HttpError},
};

/// Passes HTTP requests on to daprd.
#[derive(Debug, Clone)]
pub(crate) struct HttpForward {
    address: Arc<str>,
    listing: Listing,
}

impl HttpForward {
    pub(crate) fn new(endpoint: &Endpoint, listing: Listing) -> Self {
        Self { address: endpoint.to_string().into(), listing }
    }

    /// Passes a request on, and its response back.
    pub(crate) fn call(&self, request: Request<RequestBody>) -> BoxFuture<'static, Response> {
        let forward = self.clone();
        async move { forward.answer(request).await.unwrap_or_else(|error| failure(&error)) }.boxed()
    }

    /// Passes on a request for the metadata and adds mynah's components to the response.
    pub(crate) fn metadata(
        &self,
        mut request: Request<RequestBody>,
    ) -> BoxFuture<'static, Response> {
        let forward = self.clone();
        request.headers_mut().remove(ACCEPT_ENCODING);
        async move {
            let answer = forward.answer(request).and_then(|it| forward.with_components(it));
            answer.await.unwrap_or_else(|error| failure(&error))
        }
        .boxed()
    }

    async fn answer(&self, mut request: Request<RequestBody>) -> Result<Response, Error> {
        // A tunnel to any address would bypass daprd.
        let is_tunnel = request.method() == Method::CONNECT;
        let target = self.target(request.uri()).filter(|_| !is_tunnel).ok_or(Error::NotServed)?;
        let call = request.body_mut().pass_on();
        let upgrade = self.prepare(&mut request, target);
        let mut response =
            send(request).await.map_err(|error| unavailable(&self.address, &error))?;
        if let Some(client) = upgrade
            && let Some(daprd) = response.extensions_mut().remove::<OnUpgrade>()
        {
            tokio::spawn(tunnel(client, daprd));
        }
        headers::remove_hop_by_hop(response.headers_mut());
        call.set_open_ended();
        Ok(response.map(Body::new))
    }

    /// Returns the URI of a request at daprd.
    fn target(&self, uri: &Uri) -> Option<Uri> {
        let authority: Authority = self.address.parse().ok()?;
        let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let builder = Uri::builder().scheme(Scheme::HTTP).authority(authority);
        builder.path_and_query(path).build().ok()
    }

    /// Replaces the URI and the headers of a request. Returns the upgrade of its connection, if the
    /// client asks for one.
    fn prepare(&self, request: &mut Request<RequestBody>, target: Uri) -> Option<OnUpgrade> {
        let client = request.body().client();
        if let Some(host) = request.uri().authority().map(Authority::as_str)
            && let Ok(host) = host.parse()
        {
            request.headers_mut().entry(http::header::HOST).or_insert(host);
        }
        *request.uri_mut() = target;
        let is_http1 = request.version() == Version::HTTP_11;
        *request.version_mut() = Version::HTTP_11;
        let upgrade = request.extensions_mut().remove::<OnUpgrade>();
        let is_wanted = is_http1 && headers::upgrade(request.headers()).is_some();
        headers::remove_hop_by_hop(request.headers_mut());
        if request.body().size_hint().exact().is_none()
            && !request.headers().contains_key(CONTENT_LENGTH)
        {
            // Otherwise hyper drops the body of a GET request.
            let chunked = HeaderValue::from_static("chunked");
            request.headers_mut().insert(TRANSFER_ENCODING, chunked);
        }
        headers::add_forwarded(request.headers_mut(), client);
        upgrade.filter(|_| is_wanted)
    }

    async fn with_components(&self, response: Response) -> Result<Response, Error> {
        let (mut head, body) = response.into_parts();
        let body = read_metadata(body, &self.address).await?.to_bytes();
        let merged = head.status.is_success().then(|| self.listing.add_to_json(&body)).flatten();
        head.headers.remove(CONTENT_LENGTH);
        Ok(Response::from_parts(head, merged.map_or(Body::from(body), Body::from)))
    }
}

fn failure(error: &Error) -> Response {
    respond(HttpError::from(error))
}

/// Time after which an unused connection is closed. Go's servers keep them open for longer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of unused connections of one thread.
const MAX_IDLE: usize = 128;

thread_local! {
    /// A connection belongs to the runtime of its thread.
    static CLIENT: OnceCell<Client<HttpConnector, RequestBody>> = const { OnceCell::new() };
}

/// Sends a request and returns the response.
async fn send(request: Request<RequestBody>) -> Result<http::Response<Incoming>, legacy::Error> {
    CLIENT.with(|client| client.get_or_init(client_of_thread).request(request)).await
}

fn client_of_thread() -> Client<HttpConnector, RequestBody> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(MAX_IDLE)
        .build(connector)
}

/// Passes on the bytes of an upgraded connection in both directions until both sides have closed.
async fn tunnel(client: OnUpgrade, daprd: OnUpgrade) {
    if let Err(error) = copy(client, daprd).await {
        tracing::debug!(error, "upgraded connection closed");
    }
}

async fn copy(client: OnUpgrade, daprd: OnUpgrade) -> Result<(), BoxError> {
    let (client, daprd) = futures_util::try_join!(client, daprd)?;
    copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(daprd)).await?;
    Ok(())
}
