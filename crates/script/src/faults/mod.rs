//! Faults: failures that a component or a test asks for, whatever the provider answers.

// fault    the types of a fault
// trigger  decides which calls a fault applies to
// source   the format of faults
// check    checks the keys that need or exclude each other
// target   faults, and the calls that they are for

mod check;
mod fault;
mod source;
mod target;
#[cfg(test)]
mod tests;
mod trigger;

use serde_json::Value;

pub(crate) use self::source::FaultsSource;
pub use self::{
    fault::{Effect, Fault, FaultKey, Faults, Phase, request_hash},
    target::FaultTarget,
};
use crate::steps::schema_of;

/// Maximum number of faults in a list.
const MAX_FAULTS: usize = 100;

/// Returns the JSON Schema of a fault or a list of faults.
pub fn schema() -> Value {
    schema_of::<FaultsSource>().to_value()
}
