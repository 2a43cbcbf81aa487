//! Listening sockets and binding errors.

use std::io;

use thiserror::Error as ThisError;
use tokio::net::TcpListener;
#[cfg(not(unix))]
use tokio::net::TcpListener as UnixListener;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio_util::either::Either;

#[cfg(unix)]
use super::socket_file::SocketFile;
use super::stream::Stream;
use crate::base::endpoint::Endpoint;

/// The listening sockets of one surface.
#[derive(Debug)]
pub(crate) struct Listener {
    /// The first address.
    pub(crate) address: Endpoint,
    pub(crate) sockets: Vec<Socket>,
}

/// One listening socket, registered with the current runtime.
#[derive(Debug)]
pub(crate) struct Socket {
    /// The file is dropped first, so that it is never that of a closed socket, which another
    /// process may replace.
    #[cfg(unix)]
    file: Option<SocketFile>,
    listener: Either<TcpListener, UnixListener>,
}

impl Socket {
    pub(super) fn tcp(listener: std::net::TcpListener) -> io::Result<Self> {
        let listener = Either::Left(TcpListener::from_std(listener)?);
        Ok(Self {
            #[cfg(unix)]
            file: None,
            listener,
        })
    }

    #[cfg(unix)]
    pub(super) fn unix(
        file: SocketFile,
        listener: std::os::unix::net::UnixListener,
    ) -> io::Result<Self> {
        Ok(Self { file: Some(file), listener: Either::Right(UnixListener::from_std(listener)?) })
    }

    /// Returns the next connection, not registered with any runtime.
    pub(super) async fn accept(&self) -> io::Result<Stream> {
        Ok(match &self.listener {
            Either::Left(listener) => Stream::Tcp(listener.accept().await?.0.into_std()?),
            #[cfg(unix)]
            Either::Right(listener) => Stream::Unix(listener.accept().await?.0.into_std()?),
            #[cfg(not(unix))]
            Either::Right(listener) => Stream::Tcp(listener.accept().await?.0.into_std()?),
        })
    }

    /// Keeps clients from opening further connections.
    pub(super) fn close(&mut self) {
        #[cfg(unix)]
        drop(self.file.take());
        #[cfg(target_os = "linux")]
        if let Either::Left(listener) = &self.listener {
            ignore_new_clients(listener);
        }
    }
}

/// Makes Linux ignore clients that try to connect.
///
/// Closing a listening socket resets the connections that are not accepted yet. With new clients
/// ignored, all can be accepted first. An ignored client tries again after a second, and is then
/// refused.
#[cfg(target_os = "linux")]
fn ignore_new_clients(listener: &TcpListener) {
    use socket2::{SockFilter, SockRef};

    const FLAGS: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    // Classic BPF: drop TCP segments with SYN and without ACK. Connections inherit the filter, and
    // never receive such a segment.
    let filter = [
        SockFilter::new(0x30, 0, 0, FLAGS),     // A = flags
        SockFilter::new(0x54, 0, 0, SYN | ACK), // A &= SYN | ACK
        SockFilter::new(0x15, 0, 1, SYN),       // if A == SYN
        SockFilter::new(0x06, 0, 0, 0),         // drop
        SockFilter::new(0x06, 0, 0, u32::MAX),  // else keep all bytes
    ];
    if let Err(error) = SockRef::from(listener).attach_filter(&filter) {
        tracing::debug!(%error, "cannot ignore new clients");
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
