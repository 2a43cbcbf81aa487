//! Serves the inspector over a journal file.

use std::sync::Arc;

use futures_util::future;
use tokio::task::JoinSet;

use super::error::{ServeError, StartError};
use crate::{
    api::inspector::{Report, Service},
    base::{drain::Drain, endpoint::Endpoint, memory::MemoryBudget},
    net::{self, HttpVersions, Interfaces, Listener, Protocol, WorkerEnds, Workers},
};

/// Requests have no bodies, so that this is enough.
const MEMORY: usize = 64 * 1024 * 1024;

/// A page that is served on a port of this machine.
#[derive(Debug)]
pub(crate) struct Page {
    listener: Listener,
    service: Service,
    workers: Workers,
    worker_ends: WorkerEnds,
    drain: Drain,
}

impl Page {
    /// Binds a port; 0 selects a free one.
    pub(crate) fn bind(report: &Report, port: u16) -> Result<Self, StartError> {
        let listener = net::bind(&Interfaces::Loopback, port, "--port")?;
        let drain = Drain::default();
        let (workers, worker_ends) = Workers::start(&drain).map_err(StartError::Threads)?;
        Ok(Self { listener, service: Service::of_report(report), workers, worker_ends, drain })
    }

    /// Returns the address of the page.
    pub(crate) fn address(&self) -> &Endpoint {
        &self.listener.address
    }

    /// Serves the page until `stop` ends.
    pub(crate) async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let Self { listener: Listener { address, sockets }, service, workers, worker_ends, drain } =
            self;
        let memory = Arc::new(MemoryBudget::new(MEMORY));
        let protocol = Protocol::new(HttpVersions::All, service, memory);
        let mut accepting = JoinSet::new();
        for socket in sockets {
            accepting.spawn(net::accept(socket, protocol.clone(), workers.clone(), drain.clone()));
        }
        drop(workers);
        tokio::select! {
            () = stop => {}
            Some(ended) = accepting.join_next() => {
                let ended = ended.map_err(ServeError::Panicked)?;
                return ended.map_err(|source| ServeError::Accept { address, source });
            }
        }
        // Nothing is lost if a browser gets no more of the page.
        drain.start();
        drain.stop();
        accepting.abort_all();
        future::join_all(worker_ends).await;
        Ok(())
    }
}
