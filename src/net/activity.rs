//! What a connection is doing.

use std::{
    net::IpAddr,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

/// The bytes that open an HTTP/2 connection (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The state of one connection. Only the connection's thread uses it, so no order of the accesses
/// has to be enforced.
#[derive(Debug, Default)]
pub(super) struct Activity {
    client: Option<IpAddr>,
    /// Number of bytes received, up to the length of the preface.
    opening: AtomicUsize,
    /// Whether the first bytes differ from the preface.
    is_http1: AtomicBool,
    has_calls: AtomicBool,
    /// Number of calls for which a drain waits.
    in_flight: AtomicUsize,
    /// Whether a piece of a body was received since the last check.
    has_progress: AtomicBool,
    is_draining: AtomicBool,
    is_reset: AtomicBool,
}

impl Activity {
    /// Creates the state of a connection from an IP address, or from a Unix socket.
    pub(super) fn new(client: Option<IpAddr>) -> Self {
        Self { client, ..Self::default() }
    }

    pub(super) fn client(&self) -> Option<IpAddr> {
        self.client
    }

    pub(super) fn received(&self, bytes: &[u8]) {
        let before = self.opening.load(Relaxed);
        let expected = &PREFACE[before..];
        if !expected.is_empty() {
            let len = bytes.len().min(expected.len());
            self.opening.store(before + len, Relaxed);
            if bytes[..len] != expected[..len] {
                self.is_http1.store(true, Relaxed);
            }
        }
    }

    /// Makes the connection reset instead of being closed.
    pub(super) fn reset(&self) {
        self.is_reset.store(true, Relaxed);
    }

    pub(super) fn is_reset(&self) -> bool {
        self.is_reset.load(Relaxed)
    }

    pub(super) fn body_progressed(&self) {
        self.has_progress.store(true, Relaxed);
    }

    pub(super) fn call_started(&self) {
        self.has_calls.store(true, Relaxed);
    }

    pub(super) fn call_in_flight(&self) {
        self.in_flight.fetch_add(1, Relaxed);
    }

    pub(super) fn call_not_in_flight(&self) {
        self.in_flight.fetch_sub(1, Relaxed);
    }

    pub(super) fn start_draining(&self) {
        self.is_draining.store(true, Relaxed);
    }

    pub(super) fn is_draining(&self) -> bool {
        self.is_draining.load(Relaxed)
    }

    /// Whether the client has sent an HTTP/2 preface.
    pub(super) fn is_http2(&self) -> bool {
        self.opening.load(Relaxed) == PREFACE.len() && !self.is_http1.load(Relaxed)
    }

    /// Whether a drain waits for a call, or a request has become more complete since the last check.
    pub(super) fn is_busy(&self) -> bool {
        let has_progress = self.has_progress.swap(false, Relaxed);
        self.in_flight.load(Relaxed) > 0 || has_progress
    }

    /// Whether the client has sent less than an HTTP/2 preface. hyper waits for the rest without a limit.
    pub(super) fn is_opening(&self) -> bool {
        !self.has_calls.load(Relaxed) && self.opening.load(Relaxed) < PREFACE.len()
    }
}
