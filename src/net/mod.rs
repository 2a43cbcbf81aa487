//! Sockets: addresses are bound before anything is served, accepted connections are handed round
//! to one single-threaded runtime a core, and a drain lets calls in flight finish.
//!
//! A runtime a core costs half of what a work-stealing one does on small calls.

mod accept;
mod address;
mod connection;
mod listen;
mod listener;
mod progress;
#[cfg(unix)]
mod unix;
mod workers;

use axum::Router;

pub(crate) use accept::accept;
pub use address::Address;
pub use listen::Interfaces;
pub(crate) use listen::bind;
pub use listener::BindError;
#[cfg(not(unix))]
pub(crate) use listener::bind_socket;
pub(crate) use listener::{Listener, Socket};
#[cfg(unix)]
pub(crate) use unix::bind_socket;
pub(crate) use workers::Workers;

use crate::api::dapr::{grpc, http};

/// What a connection speaks, and what answers on it.
#[derive(Debug, Clone)]
pub(crate) enum Protocol {
    /// HTTP/2 from the first byte.
    Grpc(grpc::Service),
    /// HTTP/1.1, or HTTP/2 from the first byte.
    Http(http::Service),
    /// As [`Http`](Self::Http).
    Metrics(Router),
}
