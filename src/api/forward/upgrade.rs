//! Connections that leave HTTP, such as WebSockets.

use axum::BoxError;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;

/// Passes on the bytes of an upgraded connection in both directions until both sides have closed.
pub(super) async fn tunnel(client: OnUpgrade, daprd: OnUpgrade) {
    if let Err(error) = copy(client, daprd).await {
        tracing::debug!(error, "upgraded connection closed");
    }
}

async fn copy(client: OnUpgrade, daprd: OnUpgrade) -> Result<(), BoxError> {
    let (client, daprd) = futures_util::try_join!(client, daprd)?;
    copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(daprd)).await?;
    Ok(())
}
