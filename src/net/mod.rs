//! Sockets and connections.
//!
//! Addresses are bound before anything is served. Accepted connections are assigned in turn to
//! worker threads, one per core, each with its own single-threaded runtime. For small calls, this
//! arrangement needs half the CPU time of a work-stealing runtime. A drain lets calls in flight
//! finish.

mod accept;
mod activity;
mod call;
mod connection;
mod listen;
mod listener;
mod protocol;
mod request_body;
mod response_body;
#[cfg(unix)]
mod socket_file;
mod stream;
mod transport;
#[cfg(unix)]
mod unix;
mod unsent;
mod workers;

pub(crate) use accept::accept;
pub(crate) use call::TransportCall;
pub(crate) use connection::HttpVersions;
pub(crate) use listen::Interfaces;
pub(crate) use listen::bind;
pub(crate) use listener::BindError;
#[cfg(not(unix))]
pub(crate) use listener::bind_socket;
pub(crate) use listener::{Listener, Socket};
pub(crate) use protocol::Protocol;
pub(crate) use request_body::RequestBody;
#[cfg(unix)]
pub(crate) use unix::bind_socket;
pub(crate) use workers::{WorkerEnds, Workers};
