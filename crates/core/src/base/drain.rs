//! Graceful shutdown, which lets calls in flight finish.

use std::sync::Arc;

use tokio::sync::watch;

/// Signals a shutdown to every connection. The phases follow in a fixed order: serving, draining,
/// stopped.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let drain = mynah_core::base::drain::Drain::default();
/// drain.start();
/// drain.started().await;
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Drain(Arc<watch::Sender<Phase>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Serving,
    Draining,
    Stopped,
}

impl Default for Drain {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Phase::Serving)))
    }
}

impl Drain {
    /// Starts draining: no new calls are accepted, and calls in flight finish.
    pub fn start(&self) {
        self.advance(Phase::Draining);
    }

    /// Cuts off the calls that are still in flight.
    pub fn stop(&self) {
        self.advance(Phase::Stopped);
    }

    /// Returns `true` after [`start`](Self::start).
    pub fn has_started(&self) -> bool {
        *self.0.borrow() >= Phase::Draining
    }

    /// Waits for [`start`](Self::start).
    pub async fn started(&self) {
        self.reached(Phase::Draining).await;
    }

    /// Waits for [`stop`](Self::stop).
    pub async fn stopped(&self) {
        self.reached(Phase::Stopped).await;
    }

    fn advance(&self, to: Phase) {
        self.0.send_if_modified(|phase| {
            let is_later = to > *phase;
            *phase = to.max(*phase);
            is_later
        });
    }

    async fn reached(&self, wanted: Phase) {
        // Waiting fails only if the sender is dropped, but `self` holds the sender.
        let _ = self.0.subscribe().wait_for(|phase| *phase >= wanted).await;
    }
}
