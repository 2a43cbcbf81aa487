//! The only file that waits or reads the time, so that no answer can depend on either.

#![expect(clippy::disallowed_methods, reason = "this is the file that the ban points to")]

use std::{future::Future, time::Duration};

use tokio::time::Instant;

/// Waits; for no time at all, not even for the scheduler.
pub(crate) async fn pause(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

/// The output of `work`, or `None` where it takes longer than `limit`.
pub(crate) async fn within<F: Future>(limit: Duration, work: F) -> Option<F::Output> {
    tokio::time::timeout(limit, work).await.ok()
}

/// A moment, which means nothing but how long ago it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment(Instant);

impl Moment {
    pub(crate) fn now() -> Self {
        Self(Instant::now())
    }

    /// The time since.
    pub(crate) fn age(self) -> Duration {
        self.0.elapsed()
    }
}
