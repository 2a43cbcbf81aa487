//! An HTTP client that connects to allowed addresses only.

use std::{error::Error, sync::Arc};

use bytes::Bytes;
use http::{Request, Response, Uri, header::LOCATION, uri::Scheme};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{self, Client, ResponseFuture},
    rt::{TokioExecutor, TokioTimer},
};

use super::{
    allow::{AllowList, Allowed},
    connect::{ConnectError, Connector},
    redirect::redirected,
};

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

    /// Sends a request and follows redirects. Fails with a message if there is no response.
    pub async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, String> {
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

    fn start(&self, request: Request<Full<Bytes>>) -> ResponseFuture {
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
