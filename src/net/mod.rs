//! Sockets: addresses are bound before anything is served, accepted connections are handed round
//! to one single-threaded runtime a core, and a drain lets calls in flight finish.
//!
//! A runtime a core costs half of what a work-stealing one does on small calls.

mod accept;
mod connection;
mod drain;
mod listen;
mod workers;

pub(crate) use accept::accept;
pub use drain::Drain;
pub use listen::{BindError, Interfaces};
pub(crate) use listen::{Listener, bind};
pub(crate) use workers::Workers;

/// What a connection speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// HTTP/2 from the first byte.
    Grpc,
    /// HTTP/1.1, or HTTP/2 from the first byte.
    Http,
}
