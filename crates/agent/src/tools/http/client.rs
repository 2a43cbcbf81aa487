//! An HTTP client that connects to allowed addresses only.

use std::{
    error::Error,
    io,
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use http::{
    HeaderValue, Method, Request, Response, Uri,
    header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION},
    uri::Scheme,
};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{self, Client, ResponseFuture},
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use thiserror::Error as ThisError;
use tokio::net::{TcpStream, lookup_host};
use tower_service::Service;

use super::allow::{AllowList, Allowed, port};

type HttpRequest = Request<Full<Bytes>>;

/// Maximum number of redirects that a request follows.
const MAX_REDIRECTS: usize = 5;

/// Size of the buffer of a connection, which is not charged to any call.
const READ_BUFFER: usize = 64 * 1024;

/// An HTTP client that connects to allowed addresses only. Clones share their connections.
#[derive(Debug, Clone)]
pub struct HttpClient(Inner);

/// Reads the system's certificates only if they are needed: a container may have none.
#[derive(Debug, Clone)]
enum Inner {
    Plain(Client<Connector, Full<Bytes>>),
    Tls(Client<HttpsConnector<Connector>, Full<Bytes>>),
}

impl HttpClient {
    /// Creates a client for requests to a URL. Without `allow`, it may connect to the host and port
    /// in the URL.
    pub(crate) fn new(url: &Uri, allow: Option<&[Allowed]>) -> Result<Self, String> {
        let allow = match allow {
            Some(allow) => AllowList::new(allow.to_vec()),
            None => AllowList::only(url).ok_or("the URL has no host")?,
        };
        let has_tls = url.scheme() == Some(&Scheme::HTTPS);
        let connector = Connector { allow: Arc::new(allow), has_tls };
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_timer(TokioTimer::new()).http1_max_buf_size(READ_BUFFER);
        if !has_tls {
            return Ok(Self(Inner::Plain(builder.build(connector))));
        }
        let https = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(|error| format!("cannot read the system's certificates: {error}"))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        Ok(Self(Inner::Tls(builder.build(https))))
    }

    /// Creates a client for requests to the host and port in a URL.
    ///
    /// # Errors
    ///
    /// Fails with a message if the URL has no host, or if the system's certificates cannot be read.
    pub fn to_host(url: &Uri) -> Result<Self, String> {
        Self::new(url, None)
    }

    /// Sends a request without following redirects. Fails with a message if there is no response.
    pub async fn send_once(&self, request: HttpRequest) -> Result<Response<Incoming>, String> {
        self.start(request).await.map_err(|error| reason(&error))
    }

    /// Sends a request and follows redirects. Fails with a message if there is no response.
    pub async fn send(&self, mut request: HttpRequest) -> Result<Response<Incoming>, String> {
        for _ in 0..=MAX_REDIRECTS {
            let response = self.start(request.clone()).await.map_err(|error| reason(&error))?;
            match response.headers().get(LOCATION).filter(|_| response.status().is_redirection()) {
                Some(location) => {
                    request = redirected(request, response.status().as_u16(), location)?;
                }
                None => return Ok(response),
            }
        }
        Err(format!("more than {MAX_REDIRECTS} redirects"))
    }

    fn start(&self, request: HttpRequest) -> ResponseFuture {
        match &self.0 {
            Inner::Plain(client) => client.request(request),
            Inner::Tls(client) => client.request(request),
        }
    }
}

/// Returns the innermost cause, which names what has failed.
fn reason(error: &legacy::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        if cause.is::<ConnectError>() {
            break;
        }
        cause = source;
    }
    cause.to_string()
}

/// Connects to the host of a URL. The address that is checked is the one that is dialled, so a name
/// cannot change its address in between.
#[derive(Debug, Clone)]
struct Connector {
    pub(super) allow: Arc<AllowList>,
    has_tls: bool,
}

/// The reason why there is no connection.
#[derive(Debug, ThisError)]
enum ConnectError {
    /// The URL has no host, or is not one of HTTP.
    #[error("{0} is not an http or https URL")]
    Unsupported(Uri),
    /// A redirect leads from http to https.
    #[error("the redirect to {0} needs https; use https in the url of the tool")]
    NoTls(Uri),
    /// No address of the host is allowed.
    #[error("{host}:{port} is not allowed: {address}; the file allows {allowed}")]
    Forbidden { host: String, port: u16, address: String, allowed: String },
    /// The host cannot be found or does not accept connections.
    #[error("cannot connect to {0}: {1}")]
    Failed(String, io::Error),
}

impl Connector {
    async fn connect(self, url: Uri) -> Result<TokioIo<TcpStream>, ConnectError> {
        let (Some(host), Some(port)) = (url.host(), port(&url)) else {
            return Err(ConnectError::Unsupported(url));
        };
        if url.scheme() == Some(&Scheme::HTTPS) && !self.has_tls {
            return Err(ConnectError::NoTls(url));
        }
        let failed = |error| ConnectError::Failed(format!("{host}:{port}"), error);
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let addresses: Vec<_> = lookup_host((name, port)).await.map_err(failed)?.collect();
        let is_allowed = |address: &&SocketAddr| self.allow.allows(host, **address);
        let allowed: Vec<_> = addresses.iter().filter(is_allowed).copied().collect();
        if let (Some(address), []) = (addresses.first(), allowed.as_slice()) {
            return Err(ConnectError::Forbidden {
                host: host.to_owned(),
                port,
                address: format!("its address {} is not listed", address.ip()),
                allowed: self.allow.to_string(),
            });
        }
        let stream = TcpStream::connect(allowed.as_slice()).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        Ok(TokioIo::new(stream))
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = ConnectError;
    type Future = BoxFuture<'static, Result<TokioIo<TcpStream>, ConnectError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        self.clone().connect(url).boxed()
    }
}

/// Returns the request to which a response redirects. Another host does not get the headers, which
/// may be secret.
pub fn redirected(
    request: HttpRequest,
    status: u16,
    location: &HeaderValue,
) -> Result<HttpRequest, String> {
    let text = location.to_str().unwrap_or_default();
    let unsupported = || format!("unsupported redirect to {text:?}");
    let target: Uri = text.parse().map_err(|_| unsupported())?;
    let (mut head, body) = request.into_parts();
    let is_relative = target.authority().is_none();
    if is_relative && !text.starts_with('/') {
        return Err(unsupported());
    }
    let mut parts = target.into_parts();
    if is_relative {
        let own = head.uri.clone().into_parts();
        (parts.scheme, parts.authority) = (own.scheme, own.authority);
    } else if parts.authority.as_ref() != head.uri.authority()
        || parts.scheme.as_ref() != head.uri.scheme()
    {
        head.headers.clear();
    }
    head.uri = Uri::from_parts(parts).map_err(|_| unsupported())?;
    let keeps_method = matches!(status, 307 | 308);
    if keeps_method || head.method == Method::GET {
        return Ok(Request::from_parts(head, body));
    }
    head.method = Method::GET;
    head.headers.remove(CONTENT_TYPE);
    head.headers.remove(CONTENT_LENGTH);
    Ok(Request::from_parts(head, Full::default()))
}
