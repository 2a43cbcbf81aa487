//! Sockets and connections.
//!
//! Addresses are bound before anything is served. Accepted connections are assigned in turn to
//! worker threads, one per core, each with its own single-threaded runtime. For small calls, this
//! arrangement needs half the CPU time of a work-stealing runtime. A drain lets calls in flight
//! finish.

mod call;
mod connection;
mod listener;
mod open_files;
mod body;
#[cfg(unix)]
mod socket_file;
mod transport;
#[cfg(unix)]
mod unix;
mod unsent;
mod workers;

pub(crate) use body::RequestBody;
pub(crate) use call::TransportCall;
pub(crate) use connection::HttpVersions;
#[cfg(not(unix))]
pub(crate) use listener::bind_socket;
pub(crate) use listener::{BindError, Listener, Socket};
pub(crate) use listener::{Interfaces, bind};
pub(crate) use open_files::raise_open_files_limit;
#[cfg(unix)]
pub(crate) use unix::bind_socket;
pub(crate) use workers::{Protocol, WorkerEnds, Workers, accept};
