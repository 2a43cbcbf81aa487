//! How far the client of a connection has come.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};

use futures_util::future;

use crate::base::clock;

/// Bytes with which a client of HTTP/2 begins.
const PREFACE: usize = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();

/// What a connection has seen of its client.
#[derive(Debug, Default)]
pub(super) struct Progress {
    bytes: AtomicUsize,
    is_called: AtomicBool,
}

impl Progress {
    pub(super) fn reads(&self, bytes: &[u8]) {
        self.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
    }

    pub(super) fn calls(&self) {
        self.is_called.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_called(&self) -> bool {
        self.is_called.load(Ordering::Relaxed)
    }

    /// Waits for the time when it is clear that half the preface of HTTP/2 is all that comes, if
    /// ever: hyper would wait for the rest.
    pub(super) async fn stalls(&self, limit: Duration) {
        clock::pause(limit).await;
        if self.is_called() || self.bytes.load(Ordering::Relaxed) >= PREFACE {
            future::pending().await
        }
    }
}
