//! The circuit breaker of one tool, shared by all runs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use prometheus_client::metrics::gauge::Gauge;

use super::BreakerSettings;
use crate::base::clock::Moment;

/// Lets calls through until too many in a row have failed; then none for a while, then one on
/// trial.
#[derive(Debug)]
pub(super) struct Breaker {
    settings: BreakerSettings,
    state: Mutex<State>,
    /// 0 closed, 1 half-open, 2 open.
    gauge: Gauge,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Closed { failures: u32 },
    Open { since: Moment },
    HalfOpen { open_since: Moment },
}

/// Permission for one call, to be given back with its outcome.
#[derive(Debug)]
pub(super) struct Permit<'b> {
    breaker: &'b Breaker,
    is_trial: bool,
}

impl Breaker {
    pub(super) fn new(settings: BreakerSettings, gauge: Gauge) -> Self {
        Self { settings, state: Mutex::new(State::Closed { failures: 0 }), gauge }
    }

    /// Permission for a call; `None` while the breaker is open or waits for the outcome of a trial.
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

    fn ended(&self, is_trial: bool, worked: bool) {
        let mut state = self.state();
        let open = State::Open { since: Moment::now() };
        let next = match *state {
            State::HalfOpen { .. } if is_trial && worked => State::Closed { failures: 0 },
            State::HalfOpen { .. } if is_trial => open,
            State::Closed { .. } if worked => State::Closed { failures: 0 },
            State::Closed { failures } if failures + 1 >= self.settings.failures => open,
            State::Closed { failures } => State::Closed { failures: failures + 1 },
            // A call from before it opened tells nothing new.
            unchanged @ (State::Open { .. } | State::HalfOpen { .. }) => unchanged,
        };
        self.enter(&mut state, next);
    }

    /// A trial without an outcome is no trial: the next call is one.
    fn given_up(&self) {
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
    pub(super) fn ended(mut self, worked: bool) {
        let is_trial = std::mem::take(&mut self.is_trial);
        self.breaker.ended(is_trial, worked);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.is_trial {
            self.breaker.given_up();
        }
    }
}
