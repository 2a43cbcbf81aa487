//! Worker threads: one single-threaded runtime for each core.

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

use super::{connection::Stream, protocol::Protocol};
use crate::base::drain::Drain;

/// Maximum number of connections waiting for a worker.
const QUEUE: usize = 256;
/// Maximum number of blocking threads of a worker.
const BLOCKING_THREADS: usize = 4;

/// The threads that serve connections.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    queues: Arc<[mpsc::Sender<Accepted>]>,
    next: Arc<AtomicUsize>,
}

/// Completes for each worker when it has ended: when all handles are dropped and its connections
/// are closed.
pub(crate) type Ended = Vec<oneshot::Receiver<()>>;

struct Accepted {
    stream: Stream,
    protocol: Protocol,
}

impl Workers {
    /// Starts one worker for each core.
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

    /// Assigns a connection to the workers in turn.
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

/// Serves the assigned connections until all are closed or the drain is cut short.
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
