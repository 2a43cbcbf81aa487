//! mynah stands where the language model stands in a Dapr application.
//!
//! It serves Dapr's Conversation API over gRPC and HTTP, and its answers are deterministic: the
//! same request gives the same bytes. For agents there is [`tool_loop`], which runs tools for any
//! model behind a sidecar.
//!
//! ARCHITECTURE.md beside this crate has the map; the modules below are in the order in which a
//! reader meets them.

// Each may use those above it, and none below.
pub mod base;
pub mod net;
pub mod chat;
pub mod pii;
pub mod provider;
pub mod tool_loop;
pub mod tools;
pub mod wire;
pub mod client;
pub mod component;
pub mod engine;
pub mod api;
pub mod server;
pub mod cli;
