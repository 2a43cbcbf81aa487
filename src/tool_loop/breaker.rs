//! The circuit breaker of a tool.

use std::sync::{Mutex, MutexGuard, PoisonError};

use prometheus::IntGauge;

use super::BreakerSettings;
use crate::base::clock::Moment;

/// A circuit breaker, shared by all runs of a loop.
///
/// The breaker opens after a set number of consecutive failures, and rejects all calls while open.
/// After a set time, it becomes half-open and permits one trial call. The outcome of the trial call
/// closes the breaker or opens it again.
#[derive(Debug)]
pub(super) struct Breaker {
    settings: BreakerSettings,
    state: Mutex<State>,
    /// The state of the breaker: 0 closed, 1 half-open, 2 open.
    gauge: IntGauge,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Closed { failures: u32 },
    Open { since: Moment },
    HalfOpen { open_since: Moment },
}

/// Permission to make one call. Report the outcome of the call with [`finish`](Self::finish).
#[derive(Debug)]
pub(super) struct Permit<'b> {
    breaker: &'b Breaker,
    is_trial: bool,
}

impl Breaker {
    pub(super) fn new(settings: BreakerSettings, gauge: IntGauge) -> Self {
        Self { settings, state: Mutex::new(State::Closed { failures: 0 }), gauge }
    }

    /// Permits a call. Returns `None` while the circuit is open or a trial call is in progress.
    pub(super) fn permit(&self) -> Option<Permit<'_>> {
        let mut state = self.state();
        let is_trial = match *state {
            State::Closed { .. } => false,
            State::Open { since } if since.age() >= self.settings.open_for => {
                self.enter(&mut state, State::HalfOpen { open_since: since });
                true
            }
            State::Open { .. } | State::HalfOpen { .. } => return None,
        };
        Some(Permit { breaker: self, is_trial })
    }

    fn record(&self, is_trial: bool, succeeded: bool) {
        let mut state = self.state();
        let open = State::Open { since: Moment::now() };
        let next = match *state {
            State::HalfOpen { .. } if is_trial && succeeded => State::Closed { failures: 0 },
            State::HalfOpen { .. } if is_trial => open,
            State::Closed { .. } if succeeded => State::Closed { failures: 0 },
            State::Closed { failures } if failures + 1 >= self.settings.failures => open,
            State::Closed { failures } => State::Closed { failures: failures + 1 },
            // The call started before the circuit opened, so it does not count.
            unchanged @ (State::Open { .. } | State::HalfOpen { .. }) => unchanged,
        };
        if let (State::Closed { .. } | State::HalfOpen { .. }, State::Open { .. }) = (*state, next)
        {
            tracing::warn!(open_for = ?self.settings.open_for, "circuit opened after repeated failures");
        }
        self.enter(&mut state, next);
    }

    /// Ends a trial that has no outcome. The next call becomes the trial.
    fn abandon_trial(&self) {
        let mut state = self.state();
        if let State::HalfOpen { open_since: since } = *state {
            self.enter(&mut state, State::Open { since });
        }
    }

    fn enter(&self, state: &mut State, next: State) {
        *state = next;
        self.gauge.set(match next {
            State::Closed { .. } => 0,
            State::HalfOpen { .. } => 1,
            State::Open { .. } => 2,
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Reports the outcome of the call. If the call is cancelled, drop the permit instead.
    pub(super) fn finish(mut self, succeeded: bool) {
        let is_trial = std::mem::take(&mut self.is_trial);
        self.breaker.record(is_trial, succeeded);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.is_trial {
            self.breaker.abandon_trial();
        }
    }
}
