//! Everything that is tested through the front door: the real program, real sockets, real clients.

#![cfg(unix)]
#![allow(unreachable_pub, reason = "nobody outside sees the items of a test")]
#![allow(deprecated, reason = "Dapr deprecates Alpha1, and its clients still call it")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

mod support;

// What echo answers.
mod answers;
mod echo;
mod mentions;

// What a chain makes a model say.
mod chains;

// What the transcript of a tool loop is.
mod transcript;

// What each surface does.
mod access;
mod components;
mod converse;
mod errors;
mod http_api;
mod limits;
mod pii;
mod sidecar_api;

// Malformed, slow and excessive clients. Reads memory usage from /proc.
#[cfg(target_os = "linux")]
mod hostile;

// The library: the loop that runs tools.
mod tool_loop;

// What the clients that people use make of it.
mod interop;

// Whether the daprd mode is daprd.
mod parity;

// How it starts, what it says, where it listens, and how it ends.
mod cli;
mod life;
mod life_under_load;
mod ports;
mod reload;
#[cfg(target_os = "linux")]
mod soak;
mod sockets;

// What holds everywhere, and what the documents say.
mod determinism;
mod fuzz;
mod invariants;
mod docs;
