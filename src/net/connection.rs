//! One connection, from its first byte to its last.

#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::{io, net::TcpStream, pin::pin, sync::Arc, time::Duration};

use http::{Request, Response};
use hyper::{
    body::{Body, Incoming},
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::io::InspectReader;

use super::{Protocol, progress::Progress};
use crate::base::{clock, drain::Drain};

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
pub(super) async fn serve(stream: Stream, protocol: Protocol, drain: Drain) {
    let served = match stream {
        Stream::Tcp(stream) => serve_tcp(stream, protocol, drain).await,
        #[cfg(unix)]
        Stream::Unix(stream) => serve_unix(stream, protocol, drain).await,
    };
    if let Err(error) = served {
        tracing::debug!(error, "connection closed");
    }
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Served = Result<(), BoxError>;

async fn serve_tcp(stream: TcpStream, protocol: Protocol, drain: Drain) -> Served {
    let stream = tokio::net::TcpStream::from_std(stream)?;
    stream.set_nodelay(true)?;
    match speaks(stream.readable(), &drain).await? {
        true => serve_http(stream, protocol, drain).await,
        false => Ok(()),
    }
}

#[cfg(unix)]
async fn serve_unix(stream: UnixStream, protocol: Protocol, drain: Drain) -> Served {
    let stream = tokio::net::UnixStream::from_std(stream)?;
    match speaks(stream.readable(), &drain).await? {
        true => serve_http(stream, protocol, drain).await,
        false => Ok(()),
    }
}

async fn serve_http<I>(stream: I, protocol: Protocol, drain: Drain) -> Served
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    match protocol {
        Protocol::Grpc(service) => {
            let mut builder = builder();
            // Servers of gRPC send no date. Each second has another one, by which the table of
            // known headers grows, and the search in it.
            builder.http2().auto_date_header(false);
            answer(builder.http2_only(), stream, service, drain).await
        }
        Protocol::Http(service) => answer(builder(), stream, service, drain).await,
        Protocol::Metrics(router) => {
            answer(builder(), stream, TowerToHyperService::new(router), drain).await
        }
    }
}

/// Answers what comes over a connection, until its end.
async fn answer<I, S, B>(
    builder: Builder<TokioExecutor>,
    stream: I,
    service: S,
    drain: Drain,
) -> Served
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<Incoming>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let progress = Arc::new(Progress::default());
    let (reading, calling) = (progress.clone(), progress.clone());
    let stream = InspectReader::new(stream, move |bytes| reading.reads(bytes));
    let service = service_fn(move |request| {
        calling.calls();
        service.call(request)
    });
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

fn builder() -> Builder<TokioExecutor> {
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
    builder
}
