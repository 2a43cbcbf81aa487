//! What a reply may cost, so that no schema makes gigabytes or takes seconds.

use serde_json::Value;

/// Deepest nesting of a generated value.
pub(super) const MAX_DEPTH: usize = 32;

const CALL: Limits = Limits { values: 10_000, steps: 100_000, bytes: 64 * 1024 };

/// What all calls of one reply together may still cost.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    steps: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: 1_000_000, bytes: 4 * 1024 * 1024 }
    }
}

impl Budget {
    /// The limits of the next call.
    pub(super) fn call(&self) -> Limits {
        Limits {
            values: CALL.values,
            steps: CALL.steps.min(self.steps),
            bytes: CALL.bytes.min(self.bytes),
        }
    }

    /// Takes off what a call has left of its limits.
    pub(super) fn charge(&mut self, granted: Limits, left: Limits) {
        self.steps -= granted.steps - left.steps;
        self.bytes -= granted.bytes - left.bytes;
    }
}

/// What one call may still cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Values in the result.
    pub(super) values: usize,
    /// Schemas looked at.
    pub(super) steps: usize,
    /// Bytes of JSON.
    pub(super) bytes: usize,
}

/// Takes `amount` off `left`, if there is that much.
pub(super) fn spend(left: &mut usize, amount: usize) -> bool {
    let enough = amount <= *left;
    if enough {
        *left -= amount;
    }
    enough
}

/// Takes `steps` off those left. Too many end them all: what follows is not tried at all.
pub(super) fn step(left: &mut usize, steps: usize) -> bool {
    let enough = steps <= *left;
    *left = left.saturating_sub(steps);
    enough
}

/// The length of a string in JSON, quotes and escapes included.
pub(super) fn json_len(text: &str) -> usize {
    text.bytes()
        .map(|byte| if matches!(byte, b'"' | b'\\' | ..b' ') { 6 } else { 1 })
        .sum::<usize>()
        + 2
}

/// The length of an empty object or array, and the comma after it.
pub(super) const BRACKETS: usize = 3;

/// The length of a scalar in JSON; objects and arrays are paid for piece by piece.
pub(super) fn scalar_len(value: &Value) -> usize {
    match value {
        Value::String(text) => json_len(text),
        Value::Number(number) => number.to_string().len(),
        Value::Bool(_) | Value::Null => 5,
        Value::Array(_) | Value::Object(_) => 0,
    }
}
