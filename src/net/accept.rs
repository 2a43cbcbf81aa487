//! Accepts connections.

use std::{io, time::Duration};

#[cfg(unix)]
use super::listener::SocketFile;
use super::{Protocol, Socket, Workers, connection::Stream};
use crate::base::{clock, drain::Drain};

/// The pause after an error, such as a lack of file descriptors.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// Accepts connections and assigns them to the workers until draining starts.
pub(crate) async fn accept(
    socket: Socket,
    protocol: Protocol,
    workers: Workers,
    drain: Drain,
) -> io::Result<()> {
    let listener = Acceptor::new(socket)?;
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(stream) => workers.assign(stream, protocol.clone()).await,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    clock::pause(RETRY_DELAY).await;
                }
            },
            () = drain.started() => return Ok(()),
        }
    }
}

/// A listening socket that is registered with the current runtime.
enum Acceptor {
    Tcp(tokio::net::TcpListener),
    #[cfg(unix)]
    Unix(
        tokio::net::UnixListener,
        #[expect(dead_code, reason = "dropped together with the socket")] SocketFile,
    ),
}

impl Acceptor {
    fn new(socket: Socket) -> io::Result<Self> {
        Ok(match socket {
            Socket::Tcp(socket) => Self::Tcp(tokio::net::TcpListener::from_std(socket)?),
            #[cfg(unix)]
            Socket::Unix(socket, file) => {
                Self::Unix(tokio::net::UnixListener::from_std(socket)?, file)
            }
        })
    }

    /// Returns the next connection, not registered with any runtime.
    async fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => Ok(Stream::Tcp(listener.accept().await?.0.into_std()?)),
            #[cfg(unix)]
            Self::Unix(listener, _) => Ok(Stream::Unix(listener.accept().await?.0.into_std()?)),
        }
    }
}
