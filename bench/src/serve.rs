//! Server threads like mynah's: one thread accepts connections and distributes them round-robin to
//! single-threaded runtimes, one per core.

use std::{
    env,
    net::{Ipv4Addr, TcpListener},
    thread,
};

use anyhow::Context;
use tokio::{
    net::TcpStream,
    runtime,
    sync::mpsc::{self, Receiver},
};

/// Maximum number of connections waiting for a worker.
const QUEUE: usize = 256;

/// Listens on 127.0.0.1, on the port given as the program's first argument.
pub fn listen() -> anyhow::Result<TcpListener> {
    let port = env::args().nth(1).context("missing argument: the port to listen on")?;
    let port = port.parse().with_context(|| format!("{port:?} is not a port"))?;
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, port))?)
}

/// Serves forever. Runs `work` on each core with the connections assigned to that core.
pub fn serve<F>(work: impl Fn(Connections) -> F + Clone + Send + 'static) -> anyhow::Result<()>
where
    F: Future<Output = anyhow::Result<()>>,
{
    let listener = listen()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut queues = Vec::new();
    for _ in 0..cores {
        let (queue, connections) = mpsc::channel(QUEUE);
        let (work, runtime) = (work.clone(), runtime()?);
        thread::spawn(move || runtime.block_on(work(Connections(connections))));
        queues.push(queue);
    }
    for queue in queues.iter().cycle() {
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        queue.blocking_send(stream)?;
    }
    Ok(())
}

/// The connections of one worker.
#[derive(Debug)]
pub struct Connections(Receiver<std::net::TcpStream>);

impl Connections {
    /// Waits for the next connection.
    pub async fn next(&mut self) -> Option<std::io::Result<TcpStream>> {
        Some(TcpStream::from_std(self.0.recv().await?))
    }
}

fn runtime() -> std::io::Result<runtime::Runtime> {
    runtime::Builder::new_current_thread().enable_all().build()
}
