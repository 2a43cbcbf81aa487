//! Worker threads: one per core, each with a single-threaded runtime.

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

use super::{protocol::Protocol, stream::Stream};
use crate::base::drain::Drain;

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
    pub(super) async fn assign(&self, stream: Stream, protocol: Protocol) {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.queues.len();
        // If the worker has ended, the connection is dropped, which closes it.
        let _ = self.queues[turn].send(Accepted { stream, protocol }).await;
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
                Some(Accepted { stream, protocol }) => {
                    connections.spawn(protocol.serve(stream, drain.clone()));
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
