//! Integration tests, which start the real program and call it over real sockets.

// The tests use processes, signals and Unix sockets.
#![cfg(unix)]
#![allow(unreachable_pub, reason = "test modules have no public API")]
#![allow(deprecated, reason = "clients still call Alpha1, which Dapr deprecates")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test"
)]

/// Compiles the tests again when the variables change, which the attribute `needs` reads.
const _: [Option<&str>; 2] = [option_env!("MYNAH_INTEROP"), option_env!("MYNAH_SOAK_SECONDS")];

mod support;

// The echo provider.
mod echo;
mod echo_answers;
mod token_limit;
mod tool_matching;

// The scripted provider.
mod chains;
mod rules;

// The APIs.
mod access;
mod component_socket;
mod components;
mod control;
mod converse;
mod errors;
mod faults;
mod forward;
mod http_api;
mod http_tools;
mod inspector;
mod introspection;
mod limits;
mod mcp_tools;
mod metrics;
mod openai;
mod own_tools;
mod strict_history;
mod pii;
mod record;

// Malformed, slow and excessive requests. These tests read memory usage from /proc.
#[cfg(target_os = "linux")]
mod robustness;
#[cfg(target_os = "linux")]
mod soak;

// The tool loop and its transcript.
mod tool_loop;
mod transcript;

// Simulated conversations.
mod simulate;

// Clients and daprd.
mod interop;
mod parity;

// The command line, startup, reload and shutdown.
mod cli;
mod ports;
mod reload;
mod shutdown;
mod shutdown_under_load;
mod unix_sockets;

// Properties of the whole program, its sources and its documentation.
mod determinism;
mod docs;
mod fuzz;
mod invariants;
