//! Services that can be served on connections.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use hyper::{body::Body, service::Service};

use super::{
    connection::{self, HttpVersions, Opened, serve_http},
    request_body::RequestBody,
    response_body::BoxError,
    stream::Stream,
};
use crate::base::{drain::Drain, memory::MemoryBudget};

/// A service and the HTTP versions it is served over.
#[derive(Clone)]
pub(crate) struct Protocol(Arc<ServeConnection>);

type ServeConnection =
    dyn Fn(Opened, Drain) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync;

impl Protocol {
    /// Serves `service`, which is cloned for each connection.
    /// Calls and unsent responses count towards `budget`.
    pub(crate) fn new<S, B>(versions: HttpVersions, service: S, budget: Arc<MemoryBudget>) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
    {
        Self(Arc::new(move |opened, drain| {
            serve_http(opened, versions, service.clone(), budget.clone(), drain).boxed()
        }))
    }

    /// Serves one connection until the client closes it or draining has finished.
    pub(super) async fn serve(self, stream: Stream, drain: Drain) {
        if let Err(error) = self.try_serve(stream, drain).await {
            tracing::debug!(error, "connection closed");
        }
    }

    async fn try_serve(&self, stream: Stream, drain: Drain) -> Result<(), BoxError> {
        match connection::open(stream, &drain).await? {
            Some(opened) => (self.0)(opened, drain).await,
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Protocol")
    }
}
