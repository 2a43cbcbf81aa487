//! Serves one connection, from its first byte to its last.

#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::{error::Error, io, net::TcpStream, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::TryFutureExt;
use http::{Request, Response};
use hyper::{
    body::{Body, Incoming},
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::io::InspectReader;

use super::{
    lingering::Lingering,
    progress::Progress,
    unsent::{TrackedBody, Unsent},
};
use crate::base::{clock, drain::Drain, memory::MemoryBudget};

/// Time that a client has to send the headers of a request. It starts when the connection opens.
/// The same as in daprd.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle time after which an HTTP/2 client is pinged. The same as in daprd.
const PING_INTERVAL: Duration = Duration::from_secs(10);
/// Time that a client has to answer a ping. The same as in daprd.
const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of calls in flight on one connection.
const MAX_STREAMS: u32 = 1024;
/// Maximum size of a request's headers in bytes.
const MAX_HTTP1_HEADERS: usize = 64 * 1024;
const MAX_HTTP2_HEADERS: u32 = 16 * 1024;
/// While draining, a connection without calls stays open for this long, because a call may already
/// be on its way.
const LAST_CALL: Duration = Duration::from_secs(1);

/// An accepted connection, not yet registered with a runtime.
pub(super) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// A TCP or Unix stream that is registered with the current runtime.
pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// The HTTP versions that a listener accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpVersions {
    /// HTTP/1.1, and HTTP/2 with prior knowledge.
    All,
    /// HTTP/2 with prior knowledge, as gRPC requires.
    Http2,
}

/// Registers a connection with the current runtime and waits for the client's first byte. Returns
/// `None` if no byte arrives in time or draining starts first.
pub(super) async fn open(stream: Stream, drain: &Drain) -> io::Result<Option<Box<dyn Io>>> {
    match stream {
        Stream::Tcp(stream) => {
            let stream = tokio::net::TcpStream::from_std(stream)?;
            stream.set_nodelay(true)?;
            let sends_data = sends_data(stream.readable(), drain).await?;
            Ok(sends_data.then(|| Box::new(stream) as _))
        }
        #[cfg(unix)]
        Stream::Unix(stream) => {
            let stream = tokio::net::UnixStream::from_std(stream)?;
            let sends_data = sends_data(stream.readable(), drain).await?;
            Ok(sends_data.then(|| Box::new(stream) as _))
        }
    }
}

/// Waits for the client's first byte. Returns `false` if no byte arrives in time or draining starts
/// first.
async fn sends_data(
    readable: impl Future<Output = io::Result<()>>,
    drain: &Drain,
) -> io::Result<bool> {
    tokio::select! {
        ready = clock::within(HEADER_TIMEOUT, readable) => ready.transpose().map(|r| r.is_some()),
        () = drain.started() => Ok(false),
    }
}

/// Serves HTTP on a connection until the connection closes, or its client stops taking responses.
pub(super) async fn serve_http<S, B>(
    stream: Box<dyn Io>,
    versions: HttpVersions,
    service: S,
    budget: Arc<MemoryBudget>,
    drain: Drain,
) -> Result<(), BoxError>
where
    S: Service<Request<Incoming>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    let unsent = Arc::new(Unsent::new(budget));
    let on_response = unsent.clone();
    let service = service_fn(move |request| {
        let unsent = on_response.clone();
        let track = |response: Response<B>| response.map(|body| TrackedBody::new(body, unsent));
        service.call(request).map_ok(track)
    });
    tokio::select! {
        ended = serve(stream, versions, service, drain) => ended,
        () = unsent.stalled() => Err("the client does not take its responses".into()),
    }
}

async fn serve<S, B>(
    stream: Box<dyn Io>,
    versions: HttpVersions,
    service: S,
    drain: Drain,
) -> Result<(), BoxError>
where
    S: Service<Request<Incoming>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let progress = Arc::new(Progress::default());
    let (on_read, on_call) = (progress.clone(), progress.clone());
    let stream =
        InspectReader::new(Lingering::new(stream), move |bytes| on_read.count_bytes(bytes.len()));
    let service = service_fn(move |request| {
        on_call.count_call();
        service.call(request)
    });
    let builder = builder(versions);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        result = connection.as_mut() => return result,
        () = progress.stalled(HEADER_TIMEOUT) => return Ok(()),
        () = drain.started() => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        result = connection.as_mut() => return result,
        () = clock::pause(LAST_CALL) => {}
    }
    // A client that has sent only part of its first request does not delay the shutdown.
    if progress.has_calls() { connection.await } else { Ok(()) }
}

/// Returns an HTTP server with mynah's limits.
fn builder(versions: HttpVersions) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HTTP1_HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT)
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HTTP2_HEADERS);
    match versions {
        HttpVersions::All => builder,
        HttpVersions::Http2 => {
            // Like other gRPC servers, send no date. A date changes every second, so dates would
            // fill HPACK's dynamic table, which is searched on every call.
            builder.http2().auto_date_header(false);
            builder.http2_only()
        }
    }
}
