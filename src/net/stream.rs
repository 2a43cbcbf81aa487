//! Accepted connections.

use std::net::TcpStream;
#[cfg(unix)]
use std::os::unix::net::UnixStream;

use tokio::io::{AsyncRead, AsyncWrite};

/// An accepted connection, not yet registered with a runtime.
pub(super) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// A TCP or Unix stream that is registered with the current runtime.
pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}
