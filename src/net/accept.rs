//! Accepts connections.

use std::{io, time::Duration};

use super::{Protocol, Socket, Workers, connection::LAST_CALL};
use crate::base::{
    clock::{self, Moment},
    drain::Drain,
};

/// The pause after an error, such as a lack of file descriptors.
const RETRY_DELAY: Duration = Duration::from_millis(50);
/// Time for handshakes to complete before a listening socket is closed.
const HANDSHAKE_TIME: Duration = Duration::from_millis(10);

/// Accepts connections and assigns them to the workers until the drain starts. Connections that
/// clients have opened by then are also accepted.
///
/// Fails if the socket is no longer listening.
pub(crate) async fn accept(
    mut socket: Socket,
    protocol: Protocol,
    workers: Workers,
    drain: Drain,
) -> io::Result<()> {
    let assign = async |accepted| match accepted {
        Ok(stream) => {
            workers.assign(stream, protocol.clone()).await;
            Ok(())
        }
        Err(error) => retry(error).await,
    };
    loop {
        tokio::select! {
            accepted = socket.accept() => assign(accepted).await?,
            () = drain.started() => break,
        }
    }
    socket.close();
    // Out of file descriptors, some connections may have to be given up.
    let closed = Moment::now();
    while closed.age() < LAST_CALL
        && let Some(accepted) = clock::within(HANDSHAKE_TIME, socket.accept()).await
    {
        assign(accepted).await?;
    }
    Ok(())
}

/// Waits before accepting is tried again, unless the listening socket is closed.
async fn retry(error: io::Error) -> io::Result<()> {
    // EINVAL. Errors of a single connection have other kinds.
    if error.kind() == io::ErrorKind::InvalidInput {
        return Err(error);
    }
    tracing::warn!(%error, "cannot accept a connection");
    clock::pause(RETRY_DELAY).await;
    Ok(())
}
