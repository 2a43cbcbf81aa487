//! Limits on generated values, so that no schema takes seconds or produces gigabytes.

use std::rc::Rc;

use serde_json::Value;

use crate::{
    base::json_schema,
    provider::echo::{
        effort::{Effort, Unfinished},
        facts::Reading,
    },
};

/// Maximum nesting depth of a generated value.
pub(super) const MAX_DEPTH: usize = 32;

const CALL: CallBudget = CallBudget { values: 10_000, steps: 100_000, bytes: 64 * 1024 };

/// Number of bytes of a message that are read in the time of a step.
const BYTES_PER_STEP: usize = 16;

/// Maximum number of bytes that all calls in one reply generate.
const REPLY_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of bytes that a brief effort generates.
const BRIEF_BYTES: usize = 64 * 1024;

/// The work and the output left for all calls in one reply.
pub(crate) struct ReplyBudget {
    effort: Effort,
    values: usize,
    steps: usize,
    bytes: usize,
    /// The messages that have been read for this reply.
    readings: Vec<Rc<Reading>>,
}

impl ReplyBudget {
    /// Creates the budget for a reply.
    ///
    /// A value takes up to 8 µs; a step takes less than 1 µs, or up to 3 µs in the compilation of a
    /// pattern.
    pub(crate) fn new(effort: &Effort) -> Self {
        let (values, steps) = match effort {
            Effort::Brief => (64, 600),
            Effort::Full(_) => (100_000, 1_000_000),
        };
        Self { effort: effort.clone(), values, steps, bytes: REPLY_BYTES, readings: Vec::new() }
    }

    /// Fails if the effort is brief and the calls so far may have needed more.
    ///
    /// Bytes are not limited further, because the number that is left can change a value.
    pub(crate) fn check(&self) -> Result<(), Unfinished> {
        let is_used_up =
            self.values == 0 || self.steps == 0 || REPLY_BYTES - self.bytes > BRIEF_BYTES;
        self.effort.allow(is_used_up)
    }

    /// Returns the effort that the budget was created for.
    pub(crate) fn effort(&self) -> &Effort {
        &self.effort
    }

    /// Reads a message, unless that has been done for this reply.
    pub(super) fn read(&mut self, message: &str) -> Rc<Reading> {
        let done = self.readings.iter().find(|reading| reading.is_of(message));
        if let Some(reading) = done {
            return Rc::clone(reading);
        }
        spend_or_exhaust(&mut self.steps, message.len() / BYTES_PER_STEP);
        let message = if self.steps == 0 { "" } else { message };
        let reading = Rc::new(Reading::new(message));
        self.readings.push(Rc::clone(&reading));
        reading
    }

    /// Returns `true` if a value is valid, also against keywords that the generator does not support.
    /// A brief effort does not suffice for that.
    pub(super) fn confirms(&mut self, schema: &Value, value: &Value) -> bool {
        if self.effort.allow(true).is_err() {
            self.steps = 0;
            return false;
        }
        json_schema::first_valid(schema, std::slice::from_ref(value)) == Ok(Some(0))
    }

    /// Returns the budget for the next call.
    pub(super) fn call(&self) -> CallBudget {
        CallBudget {
            values: CALL.values.min(self.values),
            steps: CALL.steps.min(self.steps),
            bytes: CALL.bytes.min(self.bytes),
        }
    }

    /// Subtracts what a call has used: `granted` minus `left`.
    pub(super) fn charge(&mut self, granted: CallBudget, left: CallBudget) {
        self.values -= granted.values - left.values;
        self.steps -= granted.steps - left.steps;
        self.bytes -= granted.bytes - left.bytes;
    }
}

/// The work and the output left for the arguments of one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallBudget {
    /// Number of values in the result.
    pub(super) values: usize,
    /// Number of visits to schemas, or comparable work.
    pub(super) steps: usize,
    /// Number of bytes of JSON.
    pub(super) bytes: usize,
}

/// Subtracts `amount` from `left` if enough is left. Returns `true` if so.
pub(super) fn spend(left: &mut usize, amount: usize) -> bool {
    let enough = amount <= *left;
    if enough {
        *left -= amount;
    }
    enough
}

/// Subtracts `amount` from `left`, but not below zero. Returns `true` if enough was left.
/// Otherwise, nothing is left, even for cheaper work.
pub(super) fn spend_or_exhaust(left: &mut usize, amount: usize) -> bool {
    let enough = amount <= *left;
    *left = left.saturating_sub(amount);
    enough
}

/// Returns an upper bound on the length of a string in JSON, including quotes and escapes.
pub(super) fn json_len(text: &str) -> usize {
    text.bytes()
        .map(|byte| if matches!(byte, b'"' | b'\\' | ..b' ') { 6 } else { 1 })
        .sum::<usize>()
        + 2
}

/// Length of an empty object or array and a comma.
pub(super) const BRACKETS_LEN: usize = 3;

/// Returns an upper bound on the length of a scalar in JSON. Objects and arrays count as zero
/// because their contents are charged separately.
pub(super) fn scalar_len(value: &Value) -> usize {
    match value {
        Value::String(text) => json_len(text),
        Value::Number(number) => number.to_string().len(),
        Value::Bool(_) | Value::Null => 5,
        Value::Array(_) | Value::Object(_) => 0,
    }
}
