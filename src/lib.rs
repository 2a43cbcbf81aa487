//! mynah takes the place of the language model in a Dapr application.
//!
//! It serves Dapr's Conversation API over gRPC and HTTP, and its answers are deterministic: the
//! same request gives the same bytes. [`run`] is the whole program.
//!
//! As a library, mynah runs tools for any model behind a Dapr sidecar: [`tool_loop`] calls a
//! [`provider`], such as the one of [`client`], and the [`tools`] that the model calls. The types
//! of a conversation are in [`chat`].

#![cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "public for the feature `internals`")
)]

// Each module may use the modules above it, and none below; tests/invariants/rooms.rs checks this.
mod base;
mod net;
pub mod chat;
mod pii;
pub mod provider;
pub mod tool_loop;
pub mod tools;
mod wire;
pub mod client;
mod component;
mod engine;
mod api;
mod server;
mod cli;

pub use cli::run;

/// The private modules that the tests, benchmarks and fuzz targets of this project use. Not part of
/// the library: anything here may change at any time.
#[cfg(feature = "internals")]
#[doc(hidden)]
#[allow(missing_docs, reason = "documented in the modules themselves")]
pub mod internals {
    pub mod api {
        pub use crate::api::*;
    }
    pub mod base {
        pub use crate::base::*;
    }
    pub mod component {
        pub use crate::component::*;
    }
    pub mod engine {
        pub use crate::engine::*;
    }
    pub mod pii {
        pub use crate::pii::*;
    }
    pub mod wire {
        pub use crate::wire::*;
    }
}
