//! mynah stands where the language model stands in a Dapr application.
//!
//! It serves Dapr's Conversation API over gRPC and HTTP, and its answers are deterministic: the
//! same request gives the same bytes. ARCHITECTURE.md beside this crate has the map; the modules
//! below are in the order in which a reader meets them.

pub mod chat;
pub mod component;
pub mod provider;
pub mod dispatch;
pub mod stream;
pub mod wire;
mod corridor;
pub mod sidecar;
pub mod grpc;
pub mod http;
pub mod net;
pub mod metrics;
pub mod clock;
pub mod app;
pub mod config;
pub mod cli;
