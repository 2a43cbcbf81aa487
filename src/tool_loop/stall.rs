//! A model that makes no progress.

use super::transcript::CallKey;

/// Counts turns in a row that make the same calls.
#[derive(Debug)]
pub(super) struct Stall {
    limit: u32,
    equal: u32,
    last: Vec<CallKey>,
}

impl Stall {
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, equal: 0, last: Vec::new() }
    }

    /// Whether a turn that makes these calls is one too many.
    pub(super) fn is_reached(&mut self, calls: Vec<CallKey>) -> bool {
        self.equal = if calls == self.last { self.equal + 1 } else { 1 };
        self.last = calls;
        self.equal >= self.limit
    }
}
