//! The surfaces: how each API is spoken, and who may call it.

pub mod access;
pub mod dapr;
pub mod guard;
pub(crate) mod metrics;
pub mod pipeline;
