use std::{io, net::TcpListener, time::Duration};

use axum::Router;

use super::{Drain, Protocol, Workers};
use crate::clock;

/// How long to hold off where the process is out of file descriptors.
const OUT_OF_FILES: Duration = Duration::from_millis(50);

/// Hands connections to the workers until the drain starts.
pub(crate) async fn accept(
    socket: TcpListener,
    protocol: Protocol,
    service: Router,
    workers: Workers,
    drain: Drain,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(socket)?;
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted.and_then(|(stream, _)| stream.into_std()) {
                Ok(stream) => workers.hand(stream, protocol, service.clone()).await,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    clock::pause(OUT_OF_FILES).await;
                }
            },
            () = drain.started() => return Ok(()),
        }
    }
}
