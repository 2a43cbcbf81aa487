//! Bound sockets and binding errors.

use std::net::TcpListener;

use thiserror::Error as ThisError;

use crate::base::endpoint::Endpoint;

/// The listening sockets of one surface.
#[derive(Debug)]
pub(crate) struct Listener {
    /// The first address.
    pub(crate) address: Endpoint,
    pub(crate) sockets: Vec<Socket>,
}

/// One listening socket.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpListener),
    /// The file is dropped first, so that it is never that of a closed socket, which another
    /// process may replace.
    #[cfg(unix)]
    Unix(super::socket_file::SocketFile, std::os::unix::net::UnixListener),
}

/// The error for an address that could not be bound.
#[derive(Debug, ThisError)]
#[error("cannot listen on {address}: {reason}; {remedy}")]
pub(crate) struct BindError {
    pub(super) address: Endpoint,
    pub(super) reason: String,
    pub(super) remedy: String,
}

#[cfg(not(unix))]
pub(crate) async fn bind_socket(
    path: &std::path::Path,
    _mode: Option<u32>,
    flag: &str,
) -> Result<Listener, BindError> {
    Err(BindError {
        address: Endpoint::Unix(path.to_owned()),
        reason: "this system does not support Unix sockets".to_owned(),
        remedy: format!("omit {flag}"),
    })
}
