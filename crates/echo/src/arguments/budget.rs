//! Limits on generated values, so that no schema takes seconds or produces gigabytes.

use std::rc::Rc;

use mynah_core::base::json_schema;
use serde_json::Value;

use crate::{
    effort::{Effort, Unfinished},
    facts::Reading,
};

/// Maximum nesting depth of a generated value.
pub(super) const MAX_DEPTH: usize = 32;

/// Maximum number of values, steps and bytes of one call.
const CALL: [usize; 3] = [10_000, 100_000, 64 * 1024];
/// Number of bytes of a message that are read in the time of a step.
const BYTES_PER_STEP: usize = 32;
/// Maximum number of bytes that all calls in one reply generate.
const REPLY_BYTES: usize = 4 * 1024 * 1024;
/// Memory for a value: an object with one member takes most.
const VALUE: usize = 640;
/// The values of a call and their JSON.
const COPIES: usize = 2;
/// Maximum number of bytes that a brief effort generates.
const BRIEF_BYTES: usize = 64 * 1024;

/// The reason why there is no value for a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoValue {
    /// The value would contain itself.
    Cycle,
    /// No value is valid.
    Unsatisfiable,
    /// The limit on this is reached.
    Limit(&'static str),
}

/// A generated value.
pub(super) type Generation = Result<Value, NoValue>;

/// The work and the output left. Nothing can be spent for a cancelled call.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    /// Number of values in the result.
    values: usize,
    /// Number of visits to schemas, or comparable work.
    pub(super) steps: usize,
    /// Number of bytes of JSON.
    pub(super) bytes: usize,
    effort: Effort,
}

impl Budget {
    /// Subtracts a value.
    pub(super) fn spend_value(&mut self) -> Result<(), NoValue> {
        self.effort.charge(VALUE);
        self.check_cancelled("value")?;
        self.values = self.values.checked_sub(1).ok_or(NoValue::Limit("value"))?;
        Ok(())
    }

    /// Subtracts steps. If too few are left, none are left afterwards, even for cheaper work.
    pub(super) fn spend_steps(&mut self, amount: usize) -> Result<(), NoValue> {
        self.check_cancelled("step")?;
        let left = self.steps.checked_sub(amount);
        self.steps = left.unwrap_or(0);
        left.map(drop).ok_or(NoValue::Limit("step"))
    }

    pub(super) fn spend_bytes(&mut self, amount: usize) -> Result<(), NoValue> {
        self.bytes = self.bytes.checked_sub(amount).ok_or(NoValue::Limit("byte"))?;
        self.effort.charge(COPIES * amount);
        Ok(())
    }

    fn check_cancelled(&self, what: &'static str) -> Result<(), NoValue> {
        if self.effort.is_cancelled() { Err(NoValue::Limit(what)) } else { Ok(()) }
    }
}

/// The work and the output left for all calls in one reply.
pub(crate) struct ReplyBudget {
    left: Budget,
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
            Effort::Brief => (64, 1_000),
            Effort::Full(_) => (100_000, 1_000_000),
        };
        let left = Budget { values, steps, bytes: REPLY_BYTES, effort: effort.clone() };
        Self { left, readings: Vec::new() }
    }

    /// Fails if the effort is brief and the calls so far may have needed more, or if the reply is of no
    /// use any more.
    ///
    /// Bytes are not limited further, because the number that is left can change a value.
    pub(crate) fn check(&self) -> Result<(), Unfinished> {
        let Budget { values, steps, bytes, effort } = &self.left;
        if effort.is_cancelled() {
            return Err(Unfinished);
        }
        effort.allow(*values == 0 || *steps == 0 || REPLY_BYTES - bytes > BRIEF_BYTES)
    }

    /// Returns the effort that the budget was created for.
    pub(crate) fn effort(&self) -> &Effort {
        &self.left.effort
    }

    /// Keeps a message that has been read in part.
    pub(crate) fn keep(&mut self, reading: Rc<Reading>) {
        self.readings.push(reading);
    }

    /// Reads a message, as far as that has not been done for this reply.
    pub(super) fn read(&mut self, message: &str) -> Rc<Reading> {
        let known = self.readings.iter().find(|reading| reading.text == message);
        let reading = known.map_or_else(|| Rc::new(Reading::new(message)), Rc::clone);
        if known.is_none() {
            self.keep(Rc::clone(&reading));
        }
        let is_paid = reading.has_facts()
            || self.left.spend_steps(message.len() / BYTES_PER_STEP).is_ok() && self.left.steps > 0;
        if is_paid { reading } else { Rc::default() }
    }

    /// Returns `true` if a value is valid, also against keywords that the generator does not support.
    /// A brief effort does not suffice for that.
    pub(super) fn confirms(&mut self, schema: &Value, value: &Value) -> bool {
        if self.effort().allow(true).is_err() {
            self.left.steps = 0;
            return false;
        }
        if self.effort().is_cancelled() {
            return false;
        }
        json_schema::first_valid(schema, std::slice::from_ref(value)) == Ok(Some(0))
    }

    #[cfg(test)]
    pub(super) fn steps_left(&self) -> usize {
        self.left.steps
    }

    /// Returns the budget for the next call.
    pub(super) fn call(&self) -> Budget {
        let [values, steps, bytes] = CALL;
        Budget {
            values: values.min(self.left.values),
            steps: steps.min(self.left.steps),
            bytes: bytes.min(self.left.bytes),
            effort: self.effort().clone(),
        }
    }

    /// Subtracts what a call has used: `granted` minus `left`.
    pub(super) fn charge(&mut self, granted: &Budget, left: &Budget) {
        self.left.values -= granted.values - left.values;
        self.left.steps -= granted.steps - left.steps;
        self.left.bytes -= granted.bytes - left.bytes;
        // The values are dropped, and their JSON remains.
        self.left.effort.settle(COPIES * (REPLY_BYTES - self.left.bytes));
    }
}
