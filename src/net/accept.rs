use std::{io, time::Duration};

#[cfg(unix)]
use super::unix::SocketFile;
use super::{Protocol, Socket, Workers, connection::Stream};
use crate::base::{clock, drain::Drain};

/// How long to hold off where the process is out of file descriptors.
const OUT_OF_FILES: Duration = Duration::from_millis(50);

/// Hands connections to the workers until the drain starts.
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
                Ok(stream) => workers.hand(stream, protocol.clone()).await,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    clock::pause(OUT_OF_FILES).await;
                }
            },
            () = drain.started() => return Ok(()),
        }
    }
}

/// A socket that this runtime watches.
enum Acceptor {
    Tcp(tokio::net::TcpListener),
    #[cfg(unix)]
    Unix(
        tokio::net::UnixListener,
        #[expect(dead_code, reason = "goes with the socket")] SocketFile,
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

    /// The next connection, which any runtime may serve.
    async fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => Ok(Stream::Tcp(listener.accept().await?.0.into_std()?)),
            #[cfg(unix)]
            Self::Unix(listener, _) => Ok(Stream::Unix(listener.accept().await?.0.into_std()?)),
        }
    }
}
