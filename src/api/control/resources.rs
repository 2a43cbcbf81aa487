//! What a request of the control API may use.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use axum::body::Body;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{
    api::{access::Guard, http::body::read},
    base::{
        blocking::run_blocking_in_turn,
        clock::{self, Moment},
        drain::Drain,
        json_size::decoded_size,
        kept_memory::KeptMemory,
        memory::{Charge, MemoryBudget},
        work::Work,
    },
    net::TransportCall,
    wire::error::{ControlError, Error},
};

/// The maximum work on a request, in steps. It takes seconds.
pub(super) const MAX_STEPS: u64 = 2_000_000_000;

/// How often a request that waits looks for new calls.
const PAUSE: Duration = Duration::from_millis(10);

/// The rules of all sessions may take one part in this number of the memory.
const RULES_SHARE: usize = 4;

/// What all requests share.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) guard: Arc<Guard>,
    turns: Turns,
    /// The memory for the rules of all sessions.
    rules: Arc<MemoryBudget>,
    /// Held while the rules of a session change.
    rule_changes: Arc<Mutex<()>>,
    drain: Drain,
}

/// What a request may use.
#[derive(Debug, Clone)]
pub(super) struct Resources {
    pub(super) charge: Arc<Charge>,
    shared: Shared,
}

/// Limits how many requests are worked on at the same time. The others wait for their turn, so that
/// half of the cores stay free for calls.
#[derive(Debug, Clone)]
struct Turns(Arc<Semaphore>);

impl Turns {
    fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self(Arc::new(Semaphore::new((cores / 2).max(1))))
    }
}

impl Shared {
    pub(super) fn new(guard: Arc<Guard>, drain: Drain) -> Self {
        let rules = Arc::new(guard.memory.share(RULES_SHARE));
        Self { guard, turns: Turns::new(), rules, rule_changes: Arc::default(), drain }
    }

    /// Returns what a request may use.
    pub(super) fn of_request(&self, call: &TransportCall) -> Resources {
        Resources { charge: call.charge().clone(), shared: self.clone() }
    }
}

impl Resources {
    /// Charges nothing yet for rules, which are kept after the request.
    pub(super) fn keep_rules(&self) -> KeptMemory {
        KeptMemory::new(&self.shared.rules, &self.shared.guard.memory)
    }

    /// Returns what is held while the rules of a session change.
    pub(super) fn rule_changes(&self) -> Arc<Mutex<()>> {
        self.shared.rule_changes.clone()
    }

    /// Returns whether there is still time to wait until the moment. Waits a little if there is.
    pub(super) async fn pause_until(&self, end: Option<Moment>) -> bool {
        let left = end.map_or(Duration::ZERO, Moment::remaining);
        !left.is_zero() && self.pause(left.min(PAUSE)).await
    }

    /// Waits, unless mynah stops. Returns whether it did.
    pub(super) async fn pause(&self, time: Duration) -> bool {
        if self.shared.drain.has_started() {
            return false;
        }
        clock::pause(time).await;
        true
    }

    /// Reads a body as text, and charges the memory that parsing it takes.
    pub(super) async fn text(&self, body: Body) -> Result<String, ControlError> {
        let bytes = read(body, self.shared.guard.max_body_size, &self.charge).await?;
        self.charge.grow(decoded_size(&bytes)).await.map_err(Error::from)?;
        String::from_utf8(bytes.into()).map_err(|_| ControlError::invalid("the body is not UTF-8"))
    }

    /// Runs `task` on a blocking thread when it is its turn. When the client is gone, its work stops.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce(&Work) -> Result<T, ControlError> + Send + 'static,
    ) -> Result<T, ControlError> {
        let cancel = CancellationToken::new();
        let _cancel_on_drop = cancel.clone().drop_guard();
        let charge = self.charge.clone();
        let task = move || {
            let work = Work::new(MAX_STEPS, cancel, charge);
            tracing::debug!("work on a request of the control API begins");
            let result = task(&work);
            let (steps, cancelled) = (work.spent(), work.is_cancelled());
            tracing::debug!(steps, cancelled, "work on a request of the control API ends");
            result
        };
        run_blocking_in_turn(&self.shared.turns.0, task).await?
    }
}
