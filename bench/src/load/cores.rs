//! Pins threads and the processes that they start to cores.

use anyhow::ensure;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The available cores, and the two that are assigned to the client and the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cores {
    all: CpuSet,
    client: usize,
    server: usize,
}

impl Cores {
    /// Finds the cores that this process may use. Fails if there are fewer than two.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let all = sched_getaffinity(None)?;
        let mut free = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core));
        let (client, server) = (free.next(), free.next());
        let (Some(client), Some(server)) = (client, server) else {
            anyhow::bail!("two cores are needed, one for the server and one for the client");
        };
        ensure!(client != server);
        Ok(Self { all, client, server })
    }

    /// Pins this thread to the client's core.
    pub(crate) fn pin_client(self) -> anyhow::Result<()> {
        pin(self.client)
    }

    /// Runs `start` on the server's core. The processes that `start` spawns stay on that core.
    pub(crate) fn on_server<T>(
        self,
        start: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        pin(self.server)?;
        let started = start();
        self.pin_client()?;
        started
    }

    /// Runs `start` on all cores. The processes that `start` spawns may use all of them.
    pub(crate) fn on_all<T>(self, start: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        sched_setaffinity(None, &self.all)?;
        let started = start();
        self.pin_client()?;
        started
    }
}

fn pin(core: usize) -> anyhow::Result<()> {
    let mut set = CpuSet::new();
    set.set(core);
    Ok(sched_setaffinity(None, &set)?)
}
