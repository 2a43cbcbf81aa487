//! HTTP/2 connections to daprd, pooled by each thread.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc, time::Duration};

use futures_util::{
    FutureExt, TryFutureExt,
    future::{BoxFuture, Shared},
};
use http::{Request, Response};
use hyper::{
    body::Incoming,
    client::conn::http2::{Builder, SendRequest},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use crate::{
    base::{clock, endpoint::Endpoint},
    net::RequestBody,
    wire::error::Error,
};

/// Time for connecting.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of calls on one connection.
const MAX_STREAMS: u32 = 128;
/// The number of bytes that daprd may send in a call before the client takes them.
const STREAM_WINDOW: u32 = 64 * 1024;
/// Enough for all calls, so that one whose client takes nothing does not hold up the others.
const CONNECTION_WINDOW: u32 = STREAM_WINDOW * MAX_STREAMS;
/// Maximum size of the headers of a response.
const MAX_HEADERS: u32 = 64 * 1024;
/// How often a call is sent before it fails. It is sent again only if daprd has not got it.
const ATTEMPTS: usize = 3;

thread_local! {
    /// The connections by address. A connection belongs to the runtime of its thread.
    static CONNECTIONS: RefCell<BTreeMap<String, Vec<Connection>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The gRPC address of a daprd.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    endpoint: Arc<Endpoint>,
    pub(super) address: Arc<str>,
}

type Sender = SendRequest<RequestBody>;
/// The outcome of connecting, for all calls that wait for it.
type Connecting = Shared<BoxFuture<'static, Result<Sender, Error>>>;

/// A connection that is open or being opened.
struct Connection {
    sender: Connecting,
    /// One more reference than there are calls.
    calls: Arc<()>,
}

/// The place of a call on its connection. Dropping it makes room for another call.
#[derive(Debug)]
pub(super) struct Place(#[expect(dead_code, reason = "counted")] Arc<()>);

impl Pool {
    pub(super) fn new(endpoint: Endpoint) -> Self {
        let address = endpoint.to_string().into();
        Self { endpoint: Arc::new(endpoint), address }
    }

    /// Sends a call and returns the response.
    pub(super) async fn send(
        &self,
        mut request: Request<RequestBody>,
    ) -> Result<(Response<Incoming>, Place), Error> {
        let mut attempts = 0;
        loop {
            let (sender, place) = self.connection();
            let mut error = match sender.await?.try_send_request(request).await {
                Ok(response) => return Ok((response, place)),
                Err(error) => error,
            };
            attempts += 1;
            request = match error.take_message() {
                // The connection was lost before the call was sent.
                Some(unsent) if attempts < ATTEMPTS => unsent,
                _ => return Err(unavailable(&self.address, &error.into_error())),
            };
        }
    }

    /// Fails if no connection can be opened.
    pub(super) async fn check(&self) -> Result<(), Error> {
        let (sender, _place) = self.connection();
        sender.await.map(drop)
    }

    /// Returns a place on a connection of this thread.
    fn connection(&self) -> (Connecting, Place) {
        CONNECTIONS.with_borrow_mut(|all| {
            let connections = match all.get_mut(&*self.address) {
                Some(connections) => connections,
                None => all.entry(self.address.to_string()).or_default(),
            };
            connections.retain(Connection::is_usable);
            let with_room = connections.iter().find(|connection| connection.has_room());
            if let Some(connection) = with_room {
                return connection.place();
            }
            let sender = connect(self.endpoint.clone(), self.address.clone()).boxed().shared();
            let connection = Connection { sender, calls: Arc::new(()) };
            let place = connection.place();
            connections.push(connection);
            place
        })
    }
}

impl Connection {
    /// Returns `false` if the connection is closed or could not be opened.
    fn is_usable(&self) -> bool {
        self.sender.peek().is_none_or(|sender| sender.as_ref().is_ok_and(|it| !it.is_closed()))
    }

    fn has_room(&self) -> bool {
        Arc::strong_count(&self.calls) <= MAX_STREAMS as usize
    }

    fn place(&self) -> (Connecting, Place) {
        (self.sender.clone(), Place(self.calls.clone()))
    }
}

async fn connect(endpoint: Arc<Endpoint>, address: Arc<str>) -> Result<Sender, Error> {
    let failed = |reason: String| Error::DaprdUnavailable { address: address.to_string(), reason };
    let Endpoint::Tcp { host, port } = &*endpoint else {
        return Err(failed("not a TCP address".to_owned()));
    };
    let connected =
        clock::within(CONNECT_TIMEOUT, TcpStream::connect((host.as_str(), *port))).await;
    let stream = match connected {
        Some(stream) => stream.map_err(|error| failed(error.to_string()))?,
        None => return Err(failed(format!("no connection after {} s", CONNECT_TIMEOUT.as_secs()))),
    };
    stream.set_nodelay(true).map_err(|error| failed(error.to_string()))?;
    let (sender, connection) = Builder::new(TokioExecutor::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(MAX_HEADERS)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| unavailable(&address, &error))?;
    tokio::spawn(connection.map_err(|error| tracing::debug!(%error, "connection to daprd lost")));
    Ok(sender)
}

/// Returns the error for a call that daprd has not answered.
pub(super) fn unavailable(address: &str, error: &(dyn std::error::Error + 'static)) -> Error {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    Error::DaprdUnavailable { address: address.to_owned(), reason: cause.to_string() }
}
