//! Limits the memory that clients can make the process use.
//!
//! One [`MemoryBudget`] covers all calls. Each call has a [`Charge`], which grows before the bytes of
//! its request are kept, and returns everything when it is dropped.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use thiserror::Error as ThisError;

use super::clock::{self, Moment};

/// How long a call waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// Pause between two attempts to get memory.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// Charges up to this size may use the whole budget. Larger ones leave an eighth of it, so that a
/// few large requests never block small ones.
const SMALL: usize = 64 * 1024;
const RESERVED_SHARE: usize = 8;

/// A number of bytes for all calls of a process.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: usize,
    used: AtomicUsize,
}

/// The bytes that one call is using. Dropping the charge returns them to the budget.
#[derive(Debug)]
pub struct Charge {
    budget: Arc<MemoryBudget>,
    /// What the call takes in addition to its request and response.
    base: usize,
    bytes: AtomicUsize,
}

/// A part of a call's charge that can be returned before the call ends. Dropping it returns it.
/// Outside of a sidecar, nothing is charged.
#[derive(Debug, Default)]
pub struct Reservation {
    charge: Option<Arc<Charge>>,
    bytes: AtomicUsize,
}

/// The budget has no room for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
#[error("the memory limit of {limit} bytes is reached; retry later, or increase --max-memory")]
pub struct MemoryExhausted {
    limit: usize,
}

impl MemoryBudget {
    /// Creates a budget of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0) }
    }

    /// Charges a new call with `base` bytes, even beyond the limit.
    pub fn charge(self: Arc<Self>, base: usize) -> Charge {
        self.add(base);
        Charge { budget: self, base, bytes: AtomicUsize::new(base) }
    }

    /// Returns a budget of one part in this number of this one, for some of what it covers.
    pub fn share(&self, parts: usize) -> Self {
        Self::new(self.limit / parts)
    }

    /// Returns the number of bytes that are in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Adds bytes that exist already, even beyond the limit.
    pub fn add(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns bytes to the budget.
    pub fn remove(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn try_add(&self, bytes: usize, limit: usize) -> bool {
        let add = |used: usize| used.checked_add(bytes).filter(|used| *used <= limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }
}

impl Charge {
    /// Adds `bytes`. Waits up to a second until the budget has room.
    ///
    /// # Errors
    ///
    /// Fails if the budget has no room by then, or could never have.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// use mynah_core::base::memory::MemoryBudget;
    /// let charge = std::sync::Arc::new(MemoryBudget::new(1_000)).charge(600);
    /// assert!(charge.grow(400).await.is_ok());
    /// assert!(charge.grow(1).await.is_err());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub async fn grow(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        let exhausted = MemoryExhausted { limit: self.budget.limit };
        let limit = self.limit_after(bytes);
        if self.bytes.load(Ordering::Relaxed).saturating_add(bytes) > limit {
            return Err(exhausted);
        }
        if self.try_grow(bytes) {
            return Ok(());
        }
        let end = Moment::after(MAX_WAIT);
        while end.is_some_and(|end| !end.remaining().is_zero()) {
            clock::pause(RETRY_INTERVAL).await;
            if self.try_grow(bytes) {
                return Ok(());
            }
        }
        Err(exhausted)
    }

    /// Adds `bytes` if the budget has room now. Returns whether it has.
    pub fn try_grow(&self, bytes: usize) -> bool {
        let added = self.budget.try_add(bytes, self.limit_after(bytes));
        if added {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        added
    }

    /// Returns the size of the whole budget.
    pub fn budget(&self) -> usize {
        self.budget.limit
    }

    /// Adds `bytes` if the budget has room now.
    ///
    /// # Errors
    ///
    /// Fails if it has none.
    pub fn grow_now(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        if self.try_grow(bytes) {
            Ok(())
        } else {
            Err(MemoryExhausted { limit: self.budget.limit })
        }
    }

    /// Replaces what has been added by `bytes`.
    ///
    /// # Errors
    ///
    /// Fails if this is more and the budget has no room for it.
    pub fn set(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        let new = self.base.saturating_add(bytes);
        let old = self.bytes.load(Ordering::Relaxed);
        if new > old {
            return self.grow_now(new - old);
        }
        self.shrink(old - new);
        Ok(())
    }

    /// Returns everything that has been added.
    pub fn clear(&self) {
        let added = self.bytes.load(Ordering::Relaxed) - self.base;
        self.shrink(added);
    }

    fn shrink(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.budget.remove(bytes);
    }

    /// The part of the budget that the charge may use if it grows by `bytes`.
    fn limit_after(&self, bytes: usize) -> usize {
        let limit = self.budget.limit;
        let is_small = self.bytes.load(Ordering::Relaxed).saturating_add(bytes) <= SMALL;
        if is_small { limit } else { limit - limit / RESERVED_SHARE }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.remove(*self.bytes.get_mut());
    }
}

impl Reservation {
    /// Creates an empty part of a charge.
    pub fn of(charge: Option<Arc<Charge>>) -> Self {
        Self { charge, bytes: AtomicUsize::new(0) }
    }

    /// Adds `bytes`. Waits up to a second until the budget has room.
    ///
    /// # Errors
    ///
    /// Fails like [`Charge::grow`].
    pub async fn grow(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        if let Some(charge) = &self.charge {
            charge.grow(bytes).await?;
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Adds `bytes` if the budget has room now.
    ///
    /// # Errors
    ///
    /// Fails if it has none.
    pub fn grow_now(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        self.grow_now_to(self.bytes.load(Ordering::Relaxed).saturating_add(bytes))
    }

    /// Replaces the bytes. Fails like [`grow_now`](Self::grow_now) if these are more.
    pub fn set(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        let excess = self.bytes.load(Ordering::Relaxed).saturating_sub(bytes);
        self.bytes.fetch_sub(excess, Ordering::Relaxed);
        if let Some(charge) = &self.charge {
            charge.shrink(excess);
        }
        self.grow_now_to(bytes)
    }

    /// Leaves the bytes to the call, until it ends.
    pub fn leave(&self) {
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Adds what is missing to `bytes` if the budget has room now.
    ///
    /// # Errors
    ///
    /// Fails if it has none.
    pub fn grow_now_to(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        let missing = bytes.saturating_sub(self.bytes.load(Ordering::Relaxed));
        if let Some(charge) = &self.charge
            && missing > 0
        {
            charge.grow_now(missing)?;
            self.bytes.fetch_add(missing, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // Never fails, since nothing is added.
        let _ = self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget() -> Arc<MemoryBudget> {
        Arc::new(MemoryBudget::new(1 << 20))
    }

    #[test]
    fn dropped_charges_return_their_bytes() {
        let budget = budget();
        let charge = budget.clone().charge(100);
        assert!(charge.try_grow(200));
        assert_eq!(charge.set(250), Ok(()));
        assert_eq!(budget.used(), 350);
        assert!(charge.set(1 << 30).is_err(), "never beyond the limit");
        assert_eq!(budget.used(), 350);
        charge.clear();
        assert_eq!(budget.used(), 100);
        drop(charge);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn dropped_reservations_return_their_bytes() {
        let budget = budget();
        let charge = Arc::new(budget.clone().charge(100));
        let reservation = Reservation::of(Some(charge.clone()));
        assert_eq!(reservation.grow_now_to(200), Ok(()));
        assert_eq!(reservation.grow_now_to(150), Ok(()));
        assert!(reservation.grow_now_to(1 << 20).is_err());
        assert_eq!(budget.used(), 300);
        drop(reservation);
        assert_eq!(budget.used(), 100);
    }

    #[test]
    fn large_charges_leave_room_for_small_ones() {
        let budget = budget();
        let (large, small) = (budget.clone().charge(0), budget.clone().charge(0));
        assert!(large.try_grow((1 << 20) - (1 << 17)));
        assert!(!large.try_grow(1));
        assert!(small.try_grow(SMALL));
        assert!(!small.try_grow(1));
    }

    #[tokio::test(start_paused = true)]
    async fn charges_wait_a_second_for_room() {
        let budget = budget();
        let [first, second, third] = [(); 3].map(|()| budget.clone().charge(0));
        assert!(first.try_grow(1 << 19));
        let release = async {
            clock::pause(Duration::from_millis(900)).await;
            drop(first);
        };
        let (grown, ()) = tokio::join!(second.grow(1 << 19), release);
        assert!(grown.is_ok());
        let start = Moment::now();
        assert!(third.grow(1 << 19).await.is_err());
        let waited = start.age();
        assert!(waited >= MAX_WAIT && waited < MAX_WAIT + 2 * RETRY_INTERVAL, "{waited:?}");
        assert!(second.grow(1 << 20).await.is_err());
        assert_eq!(start.age(), waited, "does not wait for what never fits");
    }
}
