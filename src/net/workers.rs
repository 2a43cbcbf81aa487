//! Worker threads, one per core, each with a single-threaded runtime; accepts connections and assigns
//! them to the threads, which serve their protocol.

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use hyper::{body::Body, service::Service};
use tokio::{
    runtime,
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use super::{
    Socket,
    body::{BoxError, RequestBody},
    connection::{self, HttpVersions, LAST_CALL, Opened, serve_http},
    transport::Stream,
};
use crate::base::{
    clock::{self, Moment},
    drain::Drain,
    memory::MemoryBudget,
};

/// Maximum number of connections waiting for one worker.
const QUEUE: usize = 256;
/// Maximum number of blocking threads per worker.
const BLOCKING_THREADS: usize = 4;

/// The threads that serve connections.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    queues: Arc<[mpsc::Sender<Accepted>]>,
    next: Arc<AtomicUsize>,
}

/// One receiver per worker, which completes when the worker ends. A worker ends when all handles to
/// the [`Workers`] are dropped and its connections are closed, or when the drain is cut short.
pub(crate) type WorkerEnds = Vec<oneshot::Receiver<()>>;

struct Accepted {
    stream: Stream,
    protocol: Protocol,
    /// The drain of the listener.
    drain: Drain,
}

impl Workers {
    /// Starts one worker per core.
    pub(crate) fn start(drain: &Drain) -> io::Result<(Self, WorkerEnds)> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let (mut queues, mut ended) = (Vec::new(), Vec::new());
        for core in 0..cores {
            let (queue, accepted) = mpsc::channel(QUEUE);
            let (end, done) = oneshot::channel();
            let (runtime, drain) = (runtime()?, drain.clone());
            thread::Builder::new().name(format!("worker-{core}")).spawn(move || {
                runtime.block_on(work(accepted, drain));
                runtime.shutdown_background();
                drop(end);
            })?;
            queues.push(queue);
            ended.push(done);
        }
        Ok((Self { queues: queues.into(), next: Arc::default() }, ended))
    }

    /// Assigns a connection to the worker whose turn it is.
    async fn assign(&self, stream: Stream, protocol: Protocol, drain: Drain) {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.queues.len();
        // If the worker has ended, the connection is dropped, which closes it.
        let _ = self.queues[turn].send(Accepted { stream, protocol, drain }).await;
    }
}

fn runtime() -> io::Result<runtime::Runtime> {
    runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
}

/// Serves the assigned connections until no more can arrive and all are closed, or until the drain
/// is cut short.
async fn work(mut accepted: mpsc::Receiver<Accepted>, drain: Drain) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            next = accepted.recv() => match next {
                Some(Accepted { stream, protocol, drain }) => {
                    connections.spawn(protocol.serve(stream, drain));
                }
                None => break,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    tokio::select! {
        () = async { while connections.join_next().await.is_some() {} } => {}
        () = drain.stopped() => {}
    }
}

/// The pause after an error, such as a lack of file descriptors.
const RETRY_DELAY: Duration = Duration::from_millis(50);
/// Time for handshakes to complete before a listening socket is closed.
const HANDSHAKE_TIME: Duration = Duration::from_millis(10);

/// Accepts connections and assigns them to the workers until the drain starts. Connections that
/// clients have opened by then are also accepted.
///
/// Fails if the socket is no longer listening.
pub(crate) async fn accept(
    mut socket: Socket,
    protocol: Protocol,
    workers: Workers,
    drain: Drain,
) -> io::Result<()> {
    let assign = async |accepted| match accepted {
        Ok(stream) => {
            workers.assign(stream, protocol.clone(), drain.clone()).await;
            Ok(())
        }
        Err(error) => retry(error).await,
    };
    loop {
        tokio::select! {
            accepted = socket.accept() => assign(accepted).await?,
            () = drain.started() => break,
        }
    }
    socket.close();
    // Out of file descriptors, some connections may have to be given up.
    let closed = Moment::now();
    while closed.age() < LAST_CALL
        && let Some(accepted) = clock::within(HANDSHAKE_TIME, socket.accept()).await
    {
        assign(accepted).await?;
    }
    Ok(())
}

/// Waits before accepting is tried again, unless the listening socket is closed.
async fn retry(error: io::Error) -> io::Result<()> {
    // EINVAL. Errors of a single connection have other kinds.
    if error.kind() == io::ErrorKind::InvalidInput {
        return Err(error);
    }
    tracing::warn!(%error, "cannot accept a connection");
    clock::pause(RETRY_DELAY).await;
    Ok(())
}

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
