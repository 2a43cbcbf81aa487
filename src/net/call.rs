//! What the transport knows of a call.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use http::{HeaderValue, Response, Version, header::CONNECTION};

use super::activity::Activity;
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
        connection.call_started();
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
            self.0.connection.call_in_flight();
        }
    }

    /// Keeps a drain from waiting for the call.
    pub(crate) fn set_open_ended(&self) {
        if self.0.is_in_flight.swap(false, Relaxed) {
            self.0.connection.call_not_in_flight();
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
