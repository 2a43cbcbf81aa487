//! mynah takes the place of the language model in a Dapr application.
//!
//! It serves Dapr's Conversation API over gRPC and HTTP, and its answers are deterministic: the
//! same request gives the same bytes. [`run`] is the whole program.
//!
//! As a library, mynah runs tools for any model behind a Dapr sidecar. The [`tool_loop`] calls a
//! [`provider`], such as the one in [`client`], and runs the tools that the model calls, for
//! example those that [`tools`] loads from a file. The conversation types are in [`chat`].
//! [`simulate`] plays conversations between a simulated customer and an agent. To compile
//! only the library, disable the default feature `server`.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "public if the feature `internals` is enabled")
)]

#[doc(inline)]
pub use mynah_agent::{tool_loop, tools};
use mynah_core::base;
#[doc(inline)]
pub use mynah_core::chat;

/// Providers, which produce the responses.
///
/// The responses of a [`Provider`](provider::Provider) depend only on the request and on the
/// provider's configuration and declared counters, not on a clock or on randomness. A provider knows
/// nothing about the transport of a call.
pub mod provider {
    pub use mynah_core::provider::*;
    pub use mynah_echo as echo;
    pub use mynah_script as scripted;
    #[cfg(feature = "server")]
    pub(crate) use mynah_script::faults;
}

/// Plays conversations between a simulated customer and an agent.
pub mod simulate {
    pub use mynah_simulate::*;

    #[cfg(feature = "server")]
    pub use crate::models::load;
}

// Each module may use only the modules above it. Checked by tests/invariants/rooms.rs.
#[cfg(feature = "server")]
mod net;
#[cfg(feature = "server")]
mod pii;
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, unused_imports, reason = "only the server decodes requests")
)]
mod wire;
pub mod client;
#[cfg(feature = "server")]
mod upstream;
#[cfg(feature = "server")]
mod component;
#[cfg(feature = "server")]
mod models;
#[cfg(feature = "server")]
mod engine;
#[cfg(feature = "server")]
mod api;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod cli;

#[cfg(feature = "server")]
pub use cli::{run, run_executable};

/// The private modules used by this project's tests, benchmarks and fuzz targets. They are not part
/// of the library and may change at any time.
#[cfg(feature = "internals")]
#[doc(hidden)]
#[allow(missing_docs, reason = "documented in the modules themselves")]
pub mod internals {
    pub mod api {
        pub use crate::api::*;
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
