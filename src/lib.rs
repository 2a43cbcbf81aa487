//! mynah stands where the language model stands in a Dapr application.
//!
//! It serves Dapr's Conversation API over gRPC and HTTP, and its answers are deterministic: the
//! same request gives the same bytes. For agents there is [`tool_loop`], which runs tools for any
//! model behind a sidecar.
//!
//! ARCHITECTURE.md beside this crate has the map; the modules below are in the order in which a
//! reader meets them.

// What a conversation is, and what answers.
pub mod chat;
pub mod pii;
pub mod component;
pub mod provider;
pub mod stream;

// The way of a request.
pub mod wire;
pub mod corridor;
pub mod dispatch;
pub mod sidecar;
pub mod access;
pub mod grpc;
pub mod http;

// The way to other sidecars, and the loop that runs tools.
pub mod client;
pub mod tool_loop;
pub mod tools;

// The program around it.
pub mod cli;
pub mod environment;
pub mod config;
pub mod app;
mod reload;
pub mod net;
pub mod banner;
pub mod check;
pub mod converse;
pub mod logging;
pub mod metrics;
pub mod run;
pub mod schema;
pub mod signals;
pub mod terminal;
mod clock;
mod duration;
mod json_schema;
mod number;
mod off_thread;
mod quantity;
