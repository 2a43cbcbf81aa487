//! Accepts connections.

use std::{io, time::Duration};

#[cfg(unix)]
use super::socket_file::SocketFile;
use super::{Protocol, Workers, connection::LAST_CALL, listener::Socket, stream::Stream};
use crate::base::{clock, drain::Drain};

/// The pause after an error, such as a lack of file descriptors.
const RETRY_DELAY: Duration = Duration::from_millis(50);
/// Time for handshakes to complete before a listening socket is closed.
const HANDSHAKE_TIME: Duration = Duration::from_millis(10);

/// A listening socket that is registered with the current runtime.
#[derive(Debug)]
pub(crate) enum Acceptor {
    Tcp(tokio::net::TcpListener),
    #[cfg(unix)]
    Unix(SocketFile, tokio::net::UnixListener),
}

impl Acceptor {
    /// Registers a socket with the current runtime.
    pub(crate) fn new(socket: Socket) -> io::Result<Self> {
        Ok(match socket {
            Socket::Tcp(socket) => Self::Tcp(tokio::net::TcpListener::from_std(socket)?),
            #[cfg(unix)]
            Socket::Unix(file, socket) => {
                Self::Unix(file, tokio::net::UnixListener::from_std(socket)?)
            }
        })
    }

    /// Accepts connections and assigns them to the workers until the drain starts. Connections
    /// that clients have opened by then are also accepted.
    ///
    /// Fails if the socket is no longer listening.
    pub(crate) async fn run(
        self,
        protocol: Protocol,
        workers: Workers,
        drain: Drain,
    ) -> io::Result<()> {
        loop {
            tokio::select! {
                accepted = self.accept() => match accepted {
                    Ok(stream) => workers.assign(stream, protocol.clone()).await,
                    Err(error) if is_closed(&error) => return Err(error),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        clock::pause(RETRY_DELAY).await;
                    }
                },
                () = drain.started() => break,
            }
        }
        let closing = self.close()?;
        clock::pause(HANDSHAKE_TIME).await;
        // Out of file descriptors, some connections may have to be given up.
        let accept_all = closing.accept_all(&protocol, &workers);
        let _ = clock::within(LAST_CALL, accept_all).await;
        Ok(())
    }

    /// Returns the next connection, not registered with any runtime.
    async fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => Ok(Stream::Tcp(listener.accept().await?.0.into_std()?)),
            #[cfg(unix)]
            Self::Unix(_, listener) => Ok(Stream::Unix(listener.accept().await?.0.into_std()?)),
        }
    }

    /// Keeps clients from opening further connections.
    fn close(self) -> io::Result<Closing> {
        Ok(match self {
            Self::Tcp(listener) => {
                ignore_new_clients(&listener);
                Closing::Tcp(listener.into_std()?)
            }
            #[cfg(unix)]
            Self::Unix(file, listener) => {
                drop(file);
                Closing::Unix(listener.into_std()?)
            }
        })
    }
}

/// A listening socket that accepts only the connections that it already has. Does not block.
enum Closing {
    Tcp(std::net::TcpListener),
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener),
}

impl Closing {
    async fn accept_all(&self, protocol: &Protocol, workers: &Workers) {
        loop {
            match self.accept() {
                Ok(stream) => workers.assign(stream, protocol.clone()).await,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => clock::pause(RETRY_DELAY).await,
            }
        }
    }

    fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Ok(Stream::Tcp(stream))
            }
            #[cfg(unix)]
            Self::Unix(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Ok(Stream::Unix(stream))
            }
        }
    }
}

/// Whether a listening socket has been closed, so that accepting fails forever.
fn is_closed(error: &io::Error) -> bool {
    // EINVAL. Errors of a single connection have other kinds.
    error.kind() == io::ErrorKind::InvalidInput
}

/// Makes Linux ignore clients that try to connect.
///
/// Closing a listening socket resets the connections that are not accepted yet. With new clients
/// ignored, all can be accepted first. An ignored client tries again after a second, and is then
/// refused.
#[cfg(target_os = "linux")]
fn ignore_new_clients(listener: &tokio::net::TcpListener) {
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

#[cfg(not(target_os = "linux"))]
fn ignore_new_clients(_: &tokio::net::TcpListener) {}
