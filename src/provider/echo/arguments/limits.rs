//! Limits on generated values, so that no schema produces gigabytes or takes seconds.

use serde_json::Value;

/// Deepest nesting of a generated value.
pub(super) const MAX_DEPTH: usize = 32;

const CALL: CallBudget = CallBudget { values: 10_000, steps: 100_000, bytes: 64 * 1024 };

/// The work and the output that are left for all calls of one reply.
#[derive(Debug, Clone)]
pub(crate) struct ReplyBudget {
    steps: usize,
    bytes: usize,
}

impl Default for ReplyBudget {
    fn default() -> Self {
        Self { steps: 1_000_000, bytes: 4 * 1024 * 1024 }
    }
}

impl ReplyBudget {
    /// Returns the budget of the next call.
    pub(super) fn call(&self) -> CallBudget {
        CallBudget {
            values: CALL.values,
            steps: CALL.steps.min(self.steps),
            bytes: CALL.bytes.min(self.bytes),
        }
    }

    /// Subtracts what a call used of its budget.
    pub(super) fn charge(&mut self, granted: CallBudget, left: CallBudget) {
        self.steps -= granted.steps - left.steps;
        self.bytes -= granted.bytes - left.bytes;
    }
}

/// The work and the output that are left for the arguments of one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallBudget {
    /// Values in the result.
    pub(super) values: usize,
    /// Schemas visited, or similar work.
    pub(super) steps: usize,
    /// Bytes of JSON.
    pub(super) bytes: usize,
}

/// Subtracts `amount` from `left` if there is enough. Returns whether there was.
pub(super) fn spend(left: &mut usize, amount: usize) -> bool {
    let enough = amount <= *left;
    if enough {
        *left -= amount;
    }
    enough
}

/// Subtracts `amount` from `left`, down to zero. Returns whether there was enough; if not, nothing
/// is left for cheaper work either.
pub(super) fn spend_or_exhaust(left: &mut usize, amount: usize) -> bool {
    let enough = amount <= *left;
    *left = left.saturating_sub(amount);
    enough
}

/// Returns an upper bound of the length of a string in JSON, with quotes and escapes.
pub(super) fn json_len(text: &str) -> usize {
    text.bytes()
        .map(|byte| if matches!(byte, b'"' | b'\\' | ..b' ') { 6 } else { 1 })
        .sum::<usize>()
        + 2
}

/// Length of an empty object or array and a comma.
pub(super) const BRACKETS_LEN: usize = 3;

/// Returns an upper bound of the length of a scalar in JSON. Objects and arrays count as zero
/// because their contents are charged one by one.
pub(super) fn scalar_len(value: &Value) -> usize {
    match value {
        Value::String(text) => json_len(text),
        Value::Number(number) => number.to_string().len(),
        Value::Bool(_) | Value::Null => 5,
        Value::Array(_) | Value::Object(_) => 0,
    }
}
