//! Limits the work on one request, and cancels it.

use std::{cell::Cell, sync::Arc};

use thiserror::Error as ThisError;
use tokio_util::sync::CancellationToken;

use super::memory::{Charge, MemoryExhausted, Reservation};

/// The work on a request. It is counted in steps, such as a byte that is compared, so that the same
/// request stops at the same point on every machine.
#[derive(Debug)]
pub struct Work {
    /// The steps that are left.
    steps: Cell<u64>,
    limit: u64,
    cancel: CancellationToken,
    charge: Option<Arc<Charge>>,
}

/// The reason why work stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum Stopped {
    /// It reached its limit.
    #[error("the request takes too much work")]
    Limit,
    /// The client is gone.
    #[error("the request was cancelled")]
    Cancelled,
    /// There is no memory for its results.
    #[error(transparent)]
    Memory(#[from] MemoryExhausted),
}

impl Work {
    /// Creates a limit of `steps`. The results are charged.
    pub fn new(steps: u64, cancel: CancellationToken, charge: Arc<Charge>) -> Self {
        Self { steps: Cell::new(steps), limit: steps, cancel, charge: Some(charge) }
    }

    /// Work without a limit, for this process itself.
    pub fn unlimited() -> Self {
        let (steps, cancel) = (Cell::new(u64::MAX), CancellationToken::new());
        Self { steps, limit: u64::MAX, cancel, charge: None }
    }

    /// Returns the number of steps that were counted, at most the limit.
    pub fn spent(&self) -> u64 {
        self.limit - self.steps.get()
    }

    /// Returns `true` if the work is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns memory for results, which is charged while it is in use.
    pub fn reservation(&self) -> Reservation {
        Reservation::of(self.charge.clone())
    }

    /// Counts work that is about to be done.
    ///
    /// # Errors
    ///
    /// Fails if the work exceeds the limit or is cancelled.
    pub fn spend(&self, steps: usize) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let left = self.steps.get().checked_sub(steps as u64);
        self.steps.set(left.unwrap_or(0));
        left.map(drop).ok_or(Stopped::Limit)
    }

    /// Charges memory that is about to be used.
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub fn keep(&self, bytes: usize) -> Result<(), Stopped> {
        match &self.charge {
            Some(charge) => Ok(charge.grow_now(bytes)?),
            None => Ok(()),
        }
    }

    /// Charges the memory of a value that is decoded. Half of the budget must do for the largest one.
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub fn keep_decoded(&self, bytes: usize) -> Result<(), Stopped> {
        let most = self.charge.as_ref().map_or(0, |charge| charge.budget() / 2);
        self.keep(bytes.min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::memory::MemoryBudget;

    fn work(steps: u64) -> (Work, CancellationToken) {
        let cancel = CancellationToken::new();
        let charge = Arc::new(Arc::new(MemoryBudget::new(1_000)).charge(0));
        (Work::new(steps, cancel.clone(), charge), cancel)
    }

    #[test]
    fn stops_at_its_limit() {
        let (work, _) = work(10);
        assert_eq!(work.spend(10), Ok(()));
        assert_eq!(work.spent(), 10);
        assert_eq!(work.spend(1), Err(Stopped::Limit));
        assert_eq!(work.spend(1), Err(Stopped::Limit), "and never starts again");
    }

    #[test]
    fn stops_when_it_is_cancelled() {
        let (work, cancel) = work(10);
        cancel.cancel();
        assert_eq!(work.spend(1), Err(Stopped::Cancelled));
    }

    #[test]
    fn stops_without_memory() {
        let (work, _) = work(10);
        assert_eq!(work.keep(900), Ok(()));
        assert!(matches!(work.keep(900), Err(Stopped::Memory(_))));
    }
}
