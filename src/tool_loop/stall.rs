//! Detects a model that makes no progress.

use super::transcript::CallKey;

/// Counts consecutive turns with the same calls.
#[derive(Debug)]
pub(super) struct StallDetector {
    limit: u32,
    equal_turns: u32,
    last_calls: Vec<CallKey>,
}

impl StallDetector {
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, equal_turns: 0, last_calls: Vec::new() }
    }

    /// Records the calls of a turn. Returns `true` if the limit on equal turns is reached.
    pub(super) fn record(&mut self, calls: Vec<CallKey>) -> bool {
        self.equal_turns = if calls == self.last_calls { self.equal_turns + 1 } else { 1 };
        self.last_calls = calls;
        self.equal_turns >= self.limit
    }
}
