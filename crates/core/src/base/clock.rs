//! The clock. Only this file waits or reads the time, so that answers cannot depend on the time.

#![expect(clippy::disallowed_methods, reason = "this file is exempt from the ban")]

use std::{future::Future, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;

/// Returns the current date and time.
pub fn timestamp() -> Timestamp {
    Timestamp::now()
}

/// Waits for `time`. A wait of zero does not yield to the scheduler.
pub async fn pause(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

/// Returns the output of `work`, or `None` if it takes longer than `limit`.
pub async fn within<F: Future>(limit: Duration, work: F) -> Option<F::Output> {
    tokio::time::timeout(limit, work).await.ok()
}

/// A point in time, which can only be compared with the current time.
#[derive(Debug, Clone, Copy)]
pub struct Moment(Instant);

impl Moment {
    /// Returns the current moment.
    pub fn now() -> Self {
        Self(Instant::now())
    }

    /// Returns the moment that is `time` from now, or `None` if the clock cannot represent it.
    pub fn after(time: Duration) -> Option<Self> {
        Instant::now().checked_add(time).map(Self)
    }

    /// Returns the time since this moment, or zero if it is in the future.
    pub fn age(self) -> Duration {
        self.0.elapsed()
    }

    /// Returns the time until this moment, or zero if it is in the past.
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}
