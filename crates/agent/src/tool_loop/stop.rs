//! Cancellation and the time limit of a run.

use std::{future::Future, time::Duration};

use mynah_core::base::clock::{self, Moment};
use tokio_util::sync::CancellationToken;

use super::LoopEnd;

/// Stops a run when the caller cancels it or the time limit is reached.
#[derive(Debug)]
pub(super) struct StopSignal {
    token: CancellationToken,
    started: Moment,
    limit: Duration,
}

impl StopSignal {
    pub(super) fn new(token: CancellationToken, limit: Duration) -> Self {
        Self { token, started: Moment::now(), limit }
    }

    /// Awaits `work`. If the run is stopped first, drops `work` and returns the reason.
    pub(super) async fn run_until_stopped<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, LoopEnd> {
        if self.token.is_cancelled() {
            return Err(LoopEnd::Cancelled);
        }
        if self.started.age() >= self.limit {
            return Err(LoopEnd::Budget);
        }
        tokio::select! {
            biased;
            // Most work does not wait, and then needs no timer.
            output = work => Ok(output),
            () = self.token.cancelled() => Err(LoopEnd::Cancelled),
            () = self.time_limit() => Err(LoopEnd::Budget),
        }
    }

    /// Completes when the time limit is reached.
    async fn time_limit(&self) {
        clock::pause(self.limit.saturating_sub(self.started.age())).await;
    }
}
