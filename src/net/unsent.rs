//! Tracks which parts of responses a client has not taken yet.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;

use crate::base::{clock, memory::MemoryBudget};

/// How often a connection is checked. A client must take each piece within three to four of these
/// intervals. Go's clients, among others, read nothing while a debugger has stopped them.
pub(super) const INTERVAL: Duration = Duration::from_secs(10);
const GENERATIONS: usize = 4;
/// How often, and how many times, to check whether the client has taken everything.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);
const CHECKS: usize = 500;

/// The pieces that one connection has not sent yet, counted by age.
#[derive(Debug)]
pub(super) struct Unsent {
    budget: Arc<MemoryBudget>,
    /// The number of unsent pieces for each of the last intervals in which they were created.
    pieces: [AtomicUsize; GENERATIONS],
    /// The index of the current interval in `pieces`.
    now: AtomicUsize,
}

/// A piece that is not sent yet. HTTP/1.1 and HTTP/2 drop it when it is.
struct Piece {
    bytes: Bytes,
    created: usize,
    unsent: Arc<Unsent>,
}

impl Unsent {
    pub(super) fn new(budget: Arc<MemoryBudget>) -> Self {
        Self { budget, pieces: Default::default(), now: AtomicUsize::new(0) }
    }

    /// Starts the next interval. Returns `true` if a piece has been waiting for the client for more than
    /// three of them.
    pub(super) fn is_stalled(&self) -> bool {
        let next = (self.now.load(Ordering::Relaxed) + 1) % GENERATIONS;
        let is_stalled = self.pieces[next].load(Ordering::Relaxed) > 0;
        if !is_stalled {
            self.now.store(next, Ordering::Relaxed);
        }
        is_stalled
    }

    /// Completes when the client has taken everything, or after a second.
    pub(super) async fn sent(&self) {
        for _ in 0..CHECKS {
            clock::pause(CHECK_INTERVAL).await;
            if self.is_empty() {
                return;
            }
        }
    }

    /// Whether the client has taken everything.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.iter().all(|pieces| pieces.load(Ordering::Relaxed) == 0)
    }

    /// Tracks a piece until it is dropped.
    pub(super) fn track(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        let created = self.now.load(Ordering::Relaxed);
        self.pieces[created].fetch_add(1, Ordering::Relaxed);
        self.budget.add(bytes.len());
        Bytes::from_owner(Piece { bytes, created, unsent: self.clone() })
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.unsent.pieces[self.created].fetch_sub(1, Ordering::Relaxed);
        self.unsent.budget.remove(self.bytes.len());
    }
}
