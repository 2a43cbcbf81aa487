//! What ends a run from outside.

use std::{future::Future, time::Duration};

use tokio_util::sync::CancellationToken;

use super::EndReason;
use crate::base::clock::{self, Moment};

/// The caller's token, and the clock on the wall.
#[derive(Debug)]
pub(super) struct Stop {
    token: CancellationToken,
    started: Moment,
    limit: Option<Duration>,
}

impl Stop {
    pub(super) fn new(token: CancellationToken, limit: Option<Duration>) -> Self {
        Self { token, started: Moment::now(), limit }
    }

    /// The output of `work`, or why it was dropped.
    pub(super) async fn or<T>(&self, work: impl Future<Output = T>) -> Result<T, EndReason> {
        tokio::select! {
            biased;
            () = self.token.cancelled() => Err(EndReason::Cancelled),
            () = self.time_is_up() => Err(EndReason::Budget),
            output = work => Ok(output),
        }
    }

    async fn time_is_up(&self) {
        match self.limit {
            Some(limit) => clock::pause(limit.saturating_sub(self.started.age())).await,
            None => std::future::pending().await,
        }
    }
}
