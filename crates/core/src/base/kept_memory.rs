//! Memory that is kept between calls.

use std::sync::Arc;

use super::memory::{Charge, MemoryBudget, MemoryExhausted};

/// An upper bound of the memory for a byte of a text that is read into many small values.
pub const TEXT_BYTE: usize = 128;

/// The memory of something that clients have made, which is charged while it exists: to the budget of
/// its kind, and to that of all calls.
#[derive(Debug)]
pub struct KeptMemory([Charge; 2]);

impl KeptMemory {
    /// Charges nothing yet.
    pub fn new(kind: &Arc<MemoryBudget>, all: &Arc<MemoryBudget>) -> Self {
        Self([kind, all].map(|budget| budget.clone().charge(0)))
    }

    /// Adds `bytes`. May wait for other calls to end.
    ///
    /// # Errors
    ///
    /// Fails if there is no room.
    pub async fn grow(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        let [kind, all] = &self.0;
        // What is kept is not removed by waiting.
        kind.grow_now(bytes)?;
        all.grow(bytes).await
    }

    /// Adds `bytes` if there is room now.
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub fn grow_now(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        self.0.iter().try_for_each(|charge| charge.grow_now(bytes))
    }
}
