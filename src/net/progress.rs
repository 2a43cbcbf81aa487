//! The progress of a connection: the number of bytes received, and whether there was a call.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};

use futures_util::future;

use crate::base::clock;

/// Length of the HTTP/2 connection preface (RFC 9113, section 3.4).
const PREFACE: usize = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();

/// Tracks what one connection receives.
#[derive(Debug, Default)]
pub(super) struct Progress {
    bytes: AtomicUsize,
    has_calls: AtomicBool,
}

impl Progress {
    pub(super) fn count_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn count_call(&self) {
        self.has_calls.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the connection has carried a call.
    pub(super) fn has_calls(&self) -> bool {
        self.has_calls.load(Ordering::Relaxed)
    }

    /// Completes after `limit` if the client has sent no call and less than an HTTP/2 preface by
    /// then. Otherwise never completes. hyper itself would wait for the rest of the preface
    /// indefinitely.
    pub(super) async fn stalled(&self, limit: Duration) {
        clock::pause(limit).await;
        if self.has_calls() || self.bytes.load(Ordering::Relaxed) >= PREFACE {
            future::pending().await
        }
    }
}
