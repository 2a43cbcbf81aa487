//! Accepted connections.

use std::{io, net::IpAddr};

use tokio::net::TcpStream;
#[cfg(not(unix))]
use tokio::net::TcpStream as UnixStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio_util::either::Either;

/// An accepted connection, not yet registered with a runtime.
pub(super) enum Stream {
    Tcp(std::net::TcpStream),
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixStream),
}

/// A TCP or Unix stream that is registered with the current runtime.
pub(super) type Registered = Either<TcpStream, UnixStream>;

impl Stream {
    /// Registers the connection with the current runtime.
    pub(super) fn register(self) -> io::Result<Registered> {
        Ok(match self {
            Self::Tcp(stream) => {
                let stream = TcpStream::from_std(stream)?;
                stream.set_nodelay(true)?;
                Either::Left(stream)
            }
            #[cfg(unix)]
            Self::Unix(stream) => Either::Right(UnixStream::from_std(stream)?),
        })
    }
}

/// Waits until a stream can be read.
pub(super) async fn readable(stream: &Registered) -> io::Result<()> {
    match stream {
        Either::Left(stream) => stream.readable().await,
        Either::Right(stream) => stream.readable().await,
    }
}

/// Returns the IP address of the client. Clients of Unix sockets have none.
pub(super) fn client(stream: &Registered) -> io::Result<Option<IpAddr>> {
    match stream {
        Either::Left(stream) => Ok(Some(stream.peer_addr()?.ip().to_canonical())),
        Either::Right(_) => Ok(None),
    }
}

/// Makes a stream reset its connection when it is dropped, if it can.
pub(super) fn reset_on_close(stream: &Registered) {
    if let Either::Left(stream) = stream {
        // Fails only if the connection is closed already.
        let _ = stream.set_zero_linger();
    }
}
