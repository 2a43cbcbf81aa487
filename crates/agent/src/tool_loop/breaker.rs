//! The circuit breaker of a tool.

use std::{
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mynah_core::base::clock::Moment;
use prometheus::IntGauge;

use super::{BreakerSettings, CallFailure, ToolOutput};

/// A circuit breaker, shared by all runs of a loop.
///
/// The breaker opens after a set number of consecutive failures, and rejects all calls while open.
/// After a set time, it becomes half-open and permits one trial call. The outcome of the trial call
/// closes the breaker or opens it again.
#[derive(Debug)]
pub(super) struct Breaker {
    settings: BreakerSettings,
    state: Mutex<State>,
    /// The number of breakers that are not closed, of which this is one.
    open_breakers: IntGauge,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Closed { failures: u32 },
    Open { since: Moment },
    HalfOpen { open_since: Moment },
}

impl Breaker {
    pub(super) fn new(settings: BreakerSettings, open_breakers: IntGauge) -> Self {
        Self { settings, state: Mutex::new(State::Closed { failures: 0 }), open_breakers }
    }

    /// Awaits a call, unless the circuit is open or a trial call is in progress.
    pub(super) async fn run(
        &self,
        call: impl Future<Output = Result<ToolOutput, CallFailure>>,
    ) -> Result<ToolOutput, CallFailure> {
        let is_trial = self.permit().ok_or(CallFailure::CircuitOpen)?;
        // Without an outcome if the call is dropped, or if the tool refuses it, which says nothing
        // about whether the tool works.
        let mut outcome = scopeguard::guard(None, |outcome| self.record(is_trial, outcome));
        let result = call.await;
        if !result.as_ref().is_err_and(CallFailure::is_refusal) {
            *outcome = Some(result.is_ok());
        }
        result
    }

    /// Permits a call, and returns whether it is a trial. Otherwise, returns `None`.
    fn permit(&self) -> Option<bool> {
        let mut state = self.state();
        match *state {
            State::Closed { .. } => Some(false),
            State::Open { since } if since.age() >= self.settings.open_for => {
                self.enter(&mut state, State::HalfOpen { open_since: since });
                Some(true)
            }
            State::Open { .. } | State::HalfOpen { .. } => None,
        }
    }

    /// Records whether a call succeeded, if that is known.
    fn record(&self, is_trial: bool, succeeded: Option<bool>) {
        let mut state = self.state();
        let failures = match (*state, succeeded) {
            (State::Closed { .. }, Some(true)) => 0,
            (State::HalfOpen { .. }, Some(true)) if is_trial => 0,
            (State::Closed { failures }, Some(false)) => failures + 1,
            (State::HalfOpen { .. }, Some(false)) if is_trial => self.settings.failures,
            // The next call becomes the trial.
            (State::HalfOpen { open_since: since }, None) if is_trial => {
                return self.enter(&mut state, State::Open { since });
            }
            // The call started before the circuit opened, so it does not count.
            _ => return,
        };
        if failures < self.settings.failures {
            return self.enter(&mut state, State::Closed { failures });
        }
        tracing::warn!(open_for = ?self.settings.open_for, "circuit opened after repeated failures");
        self.enter(&mut state, State::Open { since: Moment::now() });
    }

    fn enter(&self, state: &mut State, next: State) {
        self.open_breakers.add(next.open_breakers() - state.open_breakers());
        *state = next;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns how much a breaker in this state adds to the number of open breakers.
    fn open_breakers(self) -> i64 {
        i64::from(!matches!(self, Self::Closed { .. }))
    }
}

impl Drop for Breaker {
    fn drop(&mut self) {
        let mut state = self.state();
        self.enter(&mut state, State::Closed { failures: 0 });
    }
}
