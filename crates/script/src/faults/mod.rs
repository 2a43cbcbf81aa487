//! Faults: failures that a component or a test asks for, whatever the provider answers.

// fault    the types of a fault
// trigger  decides which calls a fault applies to
// read     the reader of faults

mod fault;
mod read;
#[cfg(test)]
mod tests;
mod trigger;

pub use self::{
    fault::{Effect, Fault, FaultKey, Faults, Phase, request_hash},
    read::FaultTarget,
};

/// The JSON Schema of a fault or a list of faults.
pub const SCHEMA: &str = include_str!("faults.schema.json");
