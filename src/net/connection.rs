//! Serves one connection, from its first byte to its last.

use std::{
    io,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, TryFutureExt, future, stream::FuturesUnordered};
use http::{Request, Response};
use hyper::{
    body::{Body, Incoming},
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulConnection},
};

use super::{
    body::{BoxError, RequestBody, ResponseBody},
    call::{Activity, TransportCall},
    transport::{Registered, Stream, Transport, client, readable},
    unsent::{INTERVAL, Unsent},
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
/// While draining, a connection without calls in flight stays open for this long, because a call
/// may already be on its way.
pub(super) const LAST_CALL: Duration = Duration::from_secs(1);
/// Number of checks for calls in that time.
const CHECKS: u32 = 10;

/// A connection whose client has sent the first byte.
pub(super) struct Opened {
    stream: Registered,
    client: Option<IpAddr>,
}

/// The HTTP versions that a listener accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpVersions {
    /// HTTP/1.1, and HTTP/2 with prior knowledge.
    All,
    /// HTTP/2 with prior knowledge, as gRPC requires.
    Http2,
}

/// Registers a connection with the current runtime and waits for the client's first byte. Returns
/// `None` if no byte arrives in time.
pub(super) async fn open(stream: Stream, drain: &Drain) -> io::Result<Option<Opened>> {
    let stream = stream.register()?;
    let client = client(&stream)?;
    let sends_data = sends_data(readable(&stream), drain).await?;
    Ok(sends_data.then_some(Opened { stream, client }))
}

/// Waits for the client's first byte. Returns `false` if no byte arrives in time or draining starts
/// first.
async fn sends_data(
    readable: impl Future<Output = io::Result<()>>,
    drain: &Drain,
) -> io::Result<bool> {
    let last_call = async {
        drain.started().await;
        clock::pause(LAST_CALL).await;
    };
    tokio::select! {
        ready = clock::within(HEADER_TIMEOUT, readable) => ready.transpose().map(|r| r.is_some()),
        () = last_call => Ok(false),
    }
}

/// Serves HTTP on a connection until the connection closes, or its client stops taking responses.
pub(super) async fn serve_http<S, B>(
    Opened { stream, client }: Opened,
    versions: HttpVersions,
    service: S,
    budget: Arc<MemoryBudget>,
    drain: Drain,
) -> Result<(), BoxError>
where
    S: Service<Request<RequestBody>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    let activity = Arc::new(Activity::new(client));
    let unsent = Arc::new(Unsent::new(budget.clone()));
    let (on_call, on_response) = (activity.clone(), unsent.clone());
    let stream = Transport::new(stream, activity.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        let unsent = on_response.clone();
        let call = TransportCall::start(on_call.clone(), request.version(), budget.clone());
        let request = request.map(|body| RequestBody::new(body, call.call().clone()));
        service.call(request).map_ok(|mut response| {
            call.call().finish(&mut response);
            response.map(|body| ResponseBody::new(body, unsent, call))
        })
    });
    let (builder, stream) = (builder(versions), TokioIo::new(stream));
    // Boxed, because the compiler cannot show that the future is `Send` otherwise.
    let served = match versions {
        HttpVersions::All => {
            let connection = builder.serve_connection_with_upgrades(stream, service).into_owned();
            serve(connection, activity.clone(), unsent.clone(), drain).boxed()
        }
        HttpVersions::Http2 => {
            let connection = builder.serve_connection(stream, service).into_owned();
            serve(connection, activity.clone(), unsent.clone(), drain).boxed()
        }
    };
    tokio::select! {
        // The timer first, which a busy connection would hold up. A random order takes longer.
        biased;
        reason = when_woken(stalled(&activity, &unsent)) => Err(reason.into()),
        ended = served => ended,
    }
}

/// Completes when the client does not go on. Returns the reason.
async fn stalled(activity: &Activity, unsent: &Unsent) -> &'static str {
    loop {
        clock::pause(INTERVAL).await;
        if activity.is_opening() {
            return "the client has not sent a request";
        }
        if unsent.is_stalled() {
            return "the client does not take its responses";
        }
    }
}

/// Polls a future only when it is woken, and not whenever its task is. Saves the polls of a future that
/// seldom completes.
async fn when_woken<F: Future>(future: F) -> F::Output {
    match FuturesUnordered::from_iter([future]).next().await {
        Some(output) => output,
        None => future::pending().await,
    }
}

async fn serve<C: GracefulConnection<Error = BoxError> + Send>(
    connection: C,
    activity: Arc<Activity>,
    unsent: Arc<Unsent>,
    drain: Drain,
) -> Result<(), BoxError> {
    let mut connection = pin!(connection);
    tokio::select! {
        // Draining first: a call that arrives afterwards must get an answer that says so.
        biased;
        () = when_woken(drain.started()) => activity.start_draining(),
        ended = connection.as_mut() => return ended,
    }
    finish(connection, &activity, &unsent).await
}

/// Serves a connection during a drain: until it ends, or no call has been in flight for a while.
///
/// HTTP/2 clients are told at once. HTTP/1 clients are told in the answer to their next call,
/// because closing the connection would lose a call that is on its way.
async fn finish<C: GracefulConnection<Error = BoxError> + Send>(
    mut connection: Pin<&mut C>,
    activity: &Activity,
    unsent: &Unsent,
) -> Result<(), BoxError> {
    let mut idle_checks = 0;
    let mut is_announced = false;
    while idle_checks < CHECKS {
        if activity.is_http2() && !is_announced {
            connection.as_mut().graceful_shutdown();
            is_announced = true;
        }
        if let Some(ended) = clock::within(LAST_CALL / CHECKS, connection.as_mut()).await {
            return ended;
        }
        let is_busy = activity.is_busy() || !unsent.is_empty();
        idle_checks = if is_busy { 0 } else { idle_checks + 1 };
    }
    Ok(())
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
