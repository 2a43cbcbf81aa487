//! Lookups of components that are not loaded, because only the daprd has them that calls real models.

use tokio::sync::{mpsc, oneshot};

use crate::wire::error::Error;

/// Maximum number of calls that wait to be received. More wait to be sent.
const QUEUE: usize = 64;

/// Told when the components of daprd are loaded, or why they are not.
pub(crate) type Lookup = oneshot::Sender<Result<(), Error>>;

/// Looks up components.
#[derive(Debug, Clone)]
pub(crate) struct Lookups(mpsc::Sender<Lookup>);

impl Lookups {
    /// Returns the lookups, and where they arrive.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Lookup>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self(sender), receiver)
    }

    /// Waits until the components that daprd has by now are loaded.
    ///
    /// # Errors
    ///
    /// Fails if daprd cannot be reached.
    pub(super) async fn wait(&self) -> Result<(), Error> {
        let (sender, receiver) = oneshot::channel();
        // A sidecar that stops answers no more lookups.
        match self.0.send(sender).await {
            Ok(()) => receiver.await.unwrap_or(Ok(())),
            Err(_) => Ok(()),
        }
    }
}
