use std::net::TcpListener;

use thiserror::Error as ThisError;

use super::Address;
#[cfg(unix)]
use super::unix::SocketFile;

/// What listens for one surface.
#[derive(Debug)]
pub(crate) struct Listener {
    /// The first of its addresses.
    pub(crate) address: Address,
    pub(crate) sockets: Vec<Socket>,
}

/// One socket that listens.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpListener),
    /// The file goes with the socket.
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener, SocketFile),
}

/// An address that cannot be listened on.
#[derive(Debug, ThisError)]
#[error("cannot listen on {address}: {reason}; {remedy}")]
pub struct BindError {
    pub(super) address: Address,
    pub(super) reason: String,
    pub(super) remedy: String,
}

#[cfg(not(unix))]
pub(crate) fn bind_socket(path: &std::path::Path) -> Result<Listener, BindError> {
    Err(BindError {
        address: Address::Socket(path.to_owned()),
        reason: "this system has no Unix sockets".to_owned(),
        remedy: "leave --unix-domain-socket out".to_owned(),
    })
}
