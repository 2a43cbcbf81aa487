//! The surfaces: the APIs that mynah serves, and the checks that every call must pass.

pub mod access;
pub mod browser;
pub(crate) mod component;
pub mod control;
pub mod dapr;
mod diagnostics;
pub(crate) mod forward;
mod grpc;
pub(crate) mod http;
pub(crate) mod inspector;
pub(crate) mod metrics;
mod openai;
pub mod pipeline;
pub(crate) mod session;
