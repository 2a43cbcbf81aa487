//! Charges work to the budget, and records why a value may be invalid.

use super::{
    generator::Generator,
    limits::{spend, spend_or_exhaust},
    schema::NoValue,
};

/// Maximum number of characters of a reason that are logged.
const MAX_REASON: usize = 256;

impl Generator<'_> {
    /// Records why the value may be invalid, unless a reason is already recorded.
    pub(super) fn note_violation(&mut self, reason: &str) {
        if self.possible_violation.is_none() {
            let reason: String = reason.chars().take(MAX_REASON).collect();
            self.possible_violation = Some(format!("{}: {reason}", self.location()));
        }
    }

    pub(super) fn location(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }

    /// Records that the limit on `what` is reached, and returns the error.
    pub(super) fn limit_reached(&mut self, what: &str) -> NoValue {
        self.note_violation(&format!("{what} limit reached"));
        NoValue::Limit
    }

    pub(super) fn spend_bytes(&mut self, bytes: usize) -> Result<(), NoValue> {
        if spend(&mut self.budget.bytes, bytes) { Ok(()) } else { Err(self.limit_reached("byte")) }
    }

    pub(super) fn exhaust_if_cancelled(&mut self) {
        if self.effort.is_cancelled() {
            (self.budget.values, self.budget.steps) = (0, 0);
        }
    }

    pub(super) fn spend_steps(&mut self, steps: usize) -> Result<(), NoValue> {
        self.exhaust_if_cancelled();
        if spend_or_exhaust(&mut self.budget.steps, steps) {
            Ok(())
        } else {
            Err(self.limit_reached("step"))
        }
    }
}
