//! One single-threaded runtime a core, each with the connections that it was handed.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use tokio::{
    runtime,
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use super::{
    Protocol,
    connection::{self, Stream},
};
use crate::base::drain::Drain;

/// Connections that may wait for a worker.
const QUEUE: usize = 256;
/// Threads a worker may use for what would hold up its connections.
const BLOCKING_THREADS: usize = 4;

/// The threads that serve connections.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    queues: Arc<[mpsc::Sender<Accepted>]>,
    next: Arc<AtomicUsize>,
}

/// Waits for the workers to end, which they do once nothing can be handed to them any more and
/// their connections are closed.
pub(crate) type Ended = Vec<oneshot::Receiver<()>>;

struct Accepted {
    stream: Stream,
    protocol: Protocol,
}

impl Workers {
    /// Starts a worker a core.
    pub(crate) fn start(drain: &Drain) -> io::Result<(Self, Ended)> {
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

    /// Hands a connection to the next worker in turn.
    pub(super) async fn hand(&self, stream: Stream, protocol: Protocol) {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.queues.len();
        // A worker that has ended drops the connection, which closes it.
        let _ = self.queues[turn].send(Accepted { stream, protocol }).await;
    }
}

fn runtime() -> io::Result<runtime::Runtime> {
    runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
}

/// Serves what is handed over until nothing is left to serve, or the drain is cut short.
async fn work(mut accepted: mpsc::Receiver<Accepted>, drain: Drain) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            next = accepted.recv() => match next {
                Some(Accepted { stream, protocol }) => {
                    connections.spawn(connection::serve(stream, protocol, drain.clone()));
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
