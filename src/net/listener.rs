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
    /// The socket's file is removed when the socket is dropped.
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener, SocketFile),
}

/// The file of a Unix socket, removed on drop.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct SocketFile(pub(super) std::path::PathBuf);

#[cfg(unix)]
impl Drop for SocketFile {
    fn drop(&mut self) {
        // Ignore errors: the file may have been removed already.
        let _ = std::fs::remove_file(&self.0);
    }
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
pub(crate) fn bind_socket(path: &std::path::Path) -> Result<Listener, BindError> {
    Err(BindError {
        address: Endpoint::Unix(path.to_owned()),
        reason: "this system does not support Unix sockets".to_owned(),
        remedy: "omit --unix-domain-socket".to_owned(),
    })
}
