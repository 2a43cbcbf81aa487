//! The surfaces: what each of them says, and who may call.

pub mod access;
pub mod dapr;
pub mod pipeline;
pub mod sidecar;
