//! HTTP/1.1 connections to daprd, pooled by each thread.

use std::{cell::OnceCell, time::Duration};

use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::{Client, Error, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};

use super::pool::CONNECT_TIMEOUT;
use crate::net::RequestBody;

/// Time after which an unused connection is closed. Go's servers keep them open for longer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of unused connections of one thread.
const MAX_IDLE: usize = 128;

thread_local! {
    /// A connection belongs to the runtime of its thread.
    static CLIENT: OnceCell<Client<HttpConnector, RequestBody>> = const { OnceCell::new() };
}

/// Sends a request and returns the response.
pub(super) async fn send(request: Request<RequestBody>) -> Result<Response<Incoming>, Error> {
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
