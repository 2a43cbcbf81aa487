//! Calls that are in flight, and what is known of their connection.

use std::{
    net::IpAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
};

use http::{HeaderValue, Response, Version, header::CONNECTION};

use crate::base::{
    delivery::Delivery,
    memory::{Charge, MemoryBudget},
};

/// Memory for a call in addition to its request and response: its stream, buffers and futures.
const BASE: usize = 16 * 1024;

/// A call: the memory that it uses, whether a drain waits for it, and how it ends. It goes with the
/// request and its body. All clones are the same call.
#[derive(Debug, Clone)]
pub(crate) struct TransportCall(Arc<State>);

/// Only the connection's thread changes it, so no order of the accesses has to be enforced.
#[derive(Debug)]
struct State {
    connection: Arc<Activity>,
    version: Version,
    charge: Arc<Charge>,
    /// Whether a drain waits for the call: its request is complete, or it is passed on to a server
    /// that alone knows when it ends.
    is_in_flight: AtomicBool,
    has_ended: AtomicBool,
    /// How the error of the call reaches the client, if the call fails.
    delivery: OnceLock<Delivery>,
}

/// A call that ends when this is dropped: its response is sent, or will never be.
#[derive(Debug)]
pub(super) struct EndOnDrop(TransportCall);

impl TransportCall {
    /// Starts a call whose request is incomplete.
    pub(super) fn start(
        connection: Arc<Activity>,
        version: Version,
        budget: Arc<MemoryBudget>,
    ) -> EndOnDrop {
        connection.has_calls.store(true, Relaxed);
        EndOnDrop(Self(Arc::new(State {
            connection,
            version,
            charge: Arc::new(budget.charge(BASE)),
            is_in_flight: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            delivery: OnceLock::new(),
        })))
    }

    /// Returns the state of the connection.
    pub(super) fn connection(&self) -> &Activity {
        &self.0.connection
    }

    /// Returns the memory that the call uses. It is charged until the response is sent.
    pub(crate) fn charge(&self) -> &Arc<Charge> {
        &self.0.charge
    }

    /// Lets a drain wait for the call.
    pub(super) fn set_in_flight(&self) {
        if !self.0.has_ended.load(Relaxed) && !self.0.is_in_flight.swap(true, Relaxed) {
            self.0.connection.in_flight.fetch_add(1, Relaxed);
        }
    }

    /// Keeps a drain from waiting for the call.
    pub(crate) fn set_open_ended(&self) {
        if self.0.is_in_flight.swap(false, Relaxed) {
            self.0.connection.in_flight.fetch_sub(1, Relaxed);
        }
    }

    /// Makes the call's error reach the client in this way. Has no effect after the first time.
    pub(crate) fn deliver(&self, delivery: Delivery) {
        self.0.delivery.get_or_init(|| delivery);
    }

    /// Returns how the call's error reaches the client.
    pub(crate) fn delivery(&self) -> Delivery {
        self.0.delivery.get().copied().unwrap_or_default()
    }

    /// During a drain, makes the response the last one of an HTTP/1 connection.
    pub(super) fn finish<B>(&self, response: &mut Response<B>) {
        if self.0.connection.is_draining() && self.0.version < Version::HTTP_2 {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

impl EndOnDrop {
    pub(super) fn call(&self) -> &TransportCall {
        &self.0
    }
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.set_open_ended();
        self.0.0.has_ended.store(true, Relaxed);
    }
}

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

    pub(super) fn start_draining(&self) {
        self.is_draining.store(true, Relaxed);
    }

    fn is_draining(&self) -> bool {
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
