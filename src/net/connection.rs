//! One connection, from its first byte to its last.

use std::{io, net::TcpStream, pin::pin, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};

use super::{Drain, Protocol};
use crate::clock;

/// Time that a client has to send the headers of a request, the first byte included. As daprd.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Silence after which a client of HTTP/2 is asked whether it is there, and the time that it has
/// to answer. As daprd.
const PING_AFTER: Duration = Duration::from_secs(10);
const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Calls that one connection may have in flight.
const MAX_STREAMS: u32 = 1024;

/// Serves a connection until its client closes it, or the drain has seen its calls answered.
pub(super) async fn serve(stream: TcpStream, protocol: Protocol, service: Router, drain: Drain) {
    if let Err(error) = try_serve(stream, protocol, service, drain).await {
        tracing::debug!(error, "connection closed");
    }
}

async fn try_serve(
    stream: TcpStream,
    protocol: Protocol,
    service: Router,
    drain: Drain,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let stream = tokio::net::TcpStream::from_std(stream)?;
    stream.set_nodelay(true)?;
    if !speaks(&stream, &drain).await? {
        return Ok(());
    }
    let builder = builder(protocol);
    let service = TowerToHyperService::new(service);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        ended = connection.as_mut() => return ended,
        () = drain.started() => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}

/// Waits for the first byte.
async fn speaks(stream: &tokio::net::TcpStream, drain: &Drain) -> io::Result<bool> {
    tokio::select! {
        ready = clock::within(HEADER_TIMEOUT, stream.readable()) => ready.transpose().map(|r| r.is_some()),
        () = drain.started() => Ok(false),
    }
}

fn builder(protocol: Protocol) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_AFTER)
        .keep_alive_timeout(PING_TIMEOUT)
        .max_concurrent_streams(MAX_STREAMS);
    match protocol {
        Protocol::Grpc => builder.http2_only(),
        Protocol::Http => builder,
    }
}
