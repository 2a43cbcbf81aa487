//! An HTTP client that connects to allowed addresses only.

use std::error::Error;

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, Uri,
    header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION, PROXY_AUTHORIZATION},
    uri::Scheme,
};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, builderstates::WantsProtocols1};
use hyper_util::{
    client::legacy::{self, Builder, Client, ResponseFuture},
    rt::{TokioExecutor, TokioTimer},
};
use mynah_core::base::environment::Environment;

use super::{
    allow::{AllowList, Allowed},
    connector::{ConnectError, Connector},
    proxy::Proxy,
};

type HttpRequest = Request<Full<Bytes>>;

/// Maximum number of redirects that a request follows.
const MAX_REDIRECTS: usize = 5;

/// Size of the buffer of a connection, which is not charged to any call.
const READ_BUFFER: usize = 64 * 1024;

/// The windows of an HTTP/2 connection and of its streams. That of the connection is enough for all streams
/// that servers usually allow, so that an answer that nobody reads does not hold up others.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 128 * STREAM_WINDOW;

/// An HTTP client that connects to allowed addresses only. Clones share their connections.
#[derive(Debug, Clone)]
pub struct HttpClient {
    inner: Inner,
    /// The header for a proxy that passes on requests without a tunnel.
    proxy_authorization: Option<HeaderValue>,
}

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
        let connector =
            Connector { allow: Some(allow.into()), has_tls: is_https(url), proxy: None };
        let inner = if connector.has_tls {
            Inner::Tls(builder().build(https()?.enable_http1().wrap_connector(connector)))
        } else {
            Inner::Plain(builder().build(connector))
        };
        Ok(Self { inner, proxy_authorization: None })
    }

    /// Creates a client for requests to the host in a URL that is trusted, whatever its address: through
    /// the proxy in the environment, if it names one, and with HTTP/2 if a server with TLS has it.
    ///
    /// # Errors
    ///
    /// Fails with a message if the proxy is invalid, or if the system's certificates cannot be read.
    pub fn to_host(url: &Uri, environment: &Environment) -> Result<Self, String> {
        let proxy = Proxy::from_environment(url, environment)?;
        let authorization = proxy.as_ref().and_then(|proxy| proxy.authorization.clone());
        let connector = Connector { allow: None, has_tls: is_https(url), proxy };
        if !connector.has_tls {
            let inner = Inner::Plain(builder().build(connector));
            return Ok(Self { inner, proxy_authorization: authorization });
        }
        let https = https()?.enable_http1().enable_http2().wrap_connector(connector);
        // The tunnel has the header.
        Ok(Self { inner: Inner::Tls(builder().build(https)), proxy_authorization: None })
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

    fn start(&self, mut request: HttpRequest) -> ResponseFuture {
        if let Some(authorization) = self.proxy_authorization.clone() {
            request.headers_mut().insert(PROXY_AUTHORIZATION, authorization);
        }
        match &self.inner {
            Inner::Plain(client) => client.request(request),
            Inner::Tls(client) => client.request(request),
        }
    }
}

fn is_https(url: &Uri) -> bool {
    url.scheme() == Some(&Scheme::HTTPS)
}

fn builder() -> Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_timer(TokioTimer::new()).http1_max_buf_size(READ_BUFFER);
    builder.http2_initial_stream_window_size(STREAM_WINDOW);
    builder.http2_initial_connection_window_size(CONNECTION_WINDOW);
    builder
}

fn https() -> Result<HttpsConnectorBuilder<WantsProtocols1>, String> {
    let builder = HttpsConnectorBuilder::new().with_native_roots();
    let builder =
        builder.map_err(|error| format!("cannot read the system's certificates: {error}"))?;
    Ok(builder.https_or_http())
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
