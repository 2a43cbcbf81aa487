//! The only file that waits or reads the time, so that no answer can depend on either.

#![expect(clippy::disallowed_methods, reason = "this is the file that the ban points to")]

use std::{future::Future, time::Duration};

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

/// The time, to measure waits with a clock that a test drives.
#[cfg(test)]
pub(crate) fn now() -> tokio::time::Instant {
    tokio::time::Instant::now()
}
