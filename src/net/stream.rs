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
pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {
    /// Makes the stream reset its connection when it is dropped, if it can.
    fn reset_on_close(&self);
}

impl Io for tokio::net::TcpStream {
    fn reset_on_close(&self) {
        // Fails only if the connection is closed already.
        let _ = self.set_zero_linger();
    }
}

#[cfg(unix)]
impl Io for tokio::net::UnixStream {
    fn reset_on_close(&self) {}
}

impl Io for Box<dyn Io> {
    fn reset_on_close(&self) {
        (**self).reset_on_close();
    }
}
