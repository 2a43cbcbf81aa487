//! How much work and memory a reply may take.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use mynah_core::{
    base::{
        memory::{MemoryExhausted, Reservation},
        work::Stopped,
    },
    provider::Cancellation,
};

/// How much work and memory a reply may take.
#[derive(Debug, Clone)]
pub(crate) enum Effort {
    /// About a millisecond, so that a serving thread can do it. A reply that needs more is
    /// [`Unfinished`].
    Brief,
    /// As much as the limits and the memory allow, until the call is cancelled.
    Full(Arc<FullEffort>),
}

/// What can end a [full](Effort::Full) effort early.
#[derive(Debug, Default)]
pub(crate) struct FullEffort {
    cancellation: Cancellation,
    /// The memory for the reply.
    memory: Reservation,
    /// The part of `memory` that is in use.
    used: AtomicUsize,
    exhausted: OnceLock<MemoryExhausted>,
}

/// The error for a reply that needs more than its effort, or is of no use any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unfinished;

impl From<Unfinished> for Stopped {
    fn from(_: Unfinished) -> Self {
        Self::Cancelled
    }
}

impl Effort {
    /// Returns a full effort for a call that is never cancelled.
    #[cfg(test)]
    pub(crate) fn full() -> Self {
        Self::Full(Arc::default())
    }

    /// Fails if this effort is brief and `is_expensive`.
    pub(crate) fn allow(&self, is_expensive: bool) -> Result<(), Unfinished> {
        match self {
            Self::Brief if is_expensive => Err(Unfinished),
            Self::Brief | Self::Full(_) => Ok(()),
        }
    }

    /// Charges the call for memory that is about to be used. A brief reply is charged when it is
    /// complete.
    pub(crate) fn charge(&self, bytes: usize) {
        if let Self::Full(effort) = self {
            let used = effort.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
            if let Err(error) = effort.memory.grow_now_to(used) {
                effort.exhausted.get_or_init(|| error);
            }
        }
    }

    /// Replaces the memory that is in use by `bytes`.
    pub(crate) fn settle(&self, bytes: usize) {
        if let Self::Full(effort) = self {
            effort.used.store(bytes, Ordering::Relaxed);
        }
    }

    /// Returns `true` if the reply is of no use any more, or there is no memory for it.
    pub(crate) fn is_cancelled(&self) -> bool {
        matches!(self, Self::Full(effort)
            if effort.cancellation.is_cancelled() || effort.exhausted().is_some())
    }
}

impl FullEffort {
    /// Creates an effort that may first use what is reserved.
    pub(crate) fn new(cancellation: Cancellation, memory: Reservation) -> Self {
        Self { cancellation, memory, ..Self::default() }
    }

    /// Returns the error if there is no memory for the reply.
    pub(crate) fn exhausted(&self) -> Option<MemoryExhausted> {
        self.exhausted.get().copied()
    }
}
