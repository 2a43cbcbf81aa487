//! What answers on a connection.

use std::{error::Error, fmt, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use hyper::{
    body::{Body, Incoming},
    service::Service,
};
use tokio::io::{AsyncRead, AsyncWrite};

use super::connection::serve_http;
use crate::base::drain::Drain;

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// A TCP or Unix stream.
pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// The versions of HTTP that a listener accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpVersions {
    /// HTTP/1.1, and HTTP/2 with prior knowledge.
    All,
    /// HTTP/2 with prior knowledge, as gRPC requires.
    Http2,
}

/// A service together with the versions of HTTP that it is served over.
#[derive(Clone)]
pub(crate) struct Protocol(Arc<ServeConnection>);

type ServeConnection =
    dyn Fn(Box<dyn Io>, Drain) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync;

impl Protocol {
    /// Serves `service`, which is cloned for each connection.
    pub(crate) fn new<S, B>(versions: HttpVersions, service: S) -> Self
    where
        S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        Self(Arc::new(move |stream, drain| {
            serve_http(stream, versions, service.clone(), drain).boxed()
        }))
    }

    /// Serves one connection until it ends.
    pub(super) async fn serve(&self, stream: Box<dyn Io>, drain: Drain) -> Result<(), BoxError> {
        (self.0)(stream, drain).await
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Protocol")
    }
}
