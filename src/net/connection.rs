//! One connection, from its first byte to its last.

#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::{io, net::TcpStream, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use hyper::service::service_fn;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::io::InspectReader;
use tower::ServiceExt;

use super::{Drain, Protocol, progress::Progress};
use crate::clock;

/// Time that a client has to send the headers of a request, the first byte included. As daprd.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Silence after which a client of HTTP/2 is asked whether it is there, and the time that it has
/// to answer. As daprd.
const PING_AFTER: Duration = Duration::from_secs(10);
const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Calls that one connection may have in flight.
const MAX_STREAMS: u32 = 1024;
/// Bytes of headers that a request may have over HTTP/1, and over HTTP/2.
const MAX_HEADERS: (usize, u32) = (64 * 1024, 16 * 1024);
/// Time that a connection without any call has at a drain: one may be on its way.
const LAST_CALL: Duration = Duration::from_secs(1);

/// A connection that no runtime watches yet.
pub(super) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Serves a connection until its client closes it, or the drain has seen its calls answered.
pub(super) async fn serve(stream: Stream, protocol: Protocol, service: Router, drain: Drain) {
    let served = match stream {
        Stream::Tcp(stream) => serve_tcp(stream, protocol, service, drain).await,
        #[cfg(unix)]
        Stream::Unix(stream) => serve_unix(stream, protocol, service, drain).await,
    };
    if let Err(error) = served {
        tracing::debug!(error, "connection closed");
    }
}

type Served = Result<(), Box<dyn std::error::Error + Send + Sync>>;

async fn serve_tcp(stream: TcpStream, protocol: Protocol, service: Router, drain: Drain) -> Served {
    let stream = tokio::net::TcpStream::from_std(stream)?;
    stream.set_nodelay(true)?;
    match speaks(stream.readable(), &drain).await? {
        true => serve_http(stream, protocol, service, drain).await,
        false => Ok(()),
    }
}

#[cfg(unix)]
async fn serve_unix(
    stream: UnixStream,
    protocol: Protocol,
    service: Router,
    drain: Drain,
) -> Served {
    let stream = tokio::net::UnixStream::from_std(stream)?;
    match speaks(stream.readable(), &drain).await? {
        true => serve_http(stream, protocol, service, drain).await,
        false => Ok(()),
    }
}

async fn serve_http<S>(stream: S, protocol: Protocol, service: Router, drain: Drain) -> Served
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let progress = Arc::new(Progress::default());
    let (reading, calling) = (progress.clone(), progress.clone());
    let stream = InspectReader::new(stream, move |bytes| reading.reads(bytes));
    let service = service_fn(move |request| {
        calling.calls();
        service.clone().oneshot(request)
    });
    let builder = builder(protocol);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        ended = connection.as_mut() => return ended,
        () = progress.stalls(HEADER_TIMEOUT) => return Ok(()),
        () = drain.started() => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        ended = connection.as_mut() => return ended,
        () = clock::pause(LAST_CALL) => {}
    }
    // Whoever sent half a request by now does not hold up the end.
    if progress.is_called() { connection.await } else { Ok(()) }
}

/// Waits for the first byte.
async fn speaks(readable: impl Future<Output = io::Result<()>>, drain: &Drain) -> io::Result<bool> {
    tokio::select! {
        ready = clock::within(HEADER_TIMEOUT, readable) => ready.transpose().map(|r| r.is_some()),
        () = drain.started() => Ok(false),
    }
}

fn builder(protocol: Protocol) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEADERS.0);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_AFTER)
        .keep_alive_timeout(PING_TIMEOUT)
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADERS.1);
    match protocol {
        Protocol::Grpc => builder.http2_only(),
        Protocol::Http => builder,
    }
}
