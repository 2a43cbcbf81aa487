//! Selects the step of a turn: failures first, then the turn's own step, then what follows the last.

use mynah_core::{
    chat::Request,
    provider::{conversation_hash, counters::Counters},
};

use super::{Chain, NumberedStep};
use crate::{
    EXHAUSTED, OnExhausted,
    steps::{Step, Times},
};

/// What a script has for a turn.
pub(crate) struct Plan<'s> {
    /// The steps that fail a number of times before anything else.
    pub(crate) failures: &'s [NumberedStep],
    pub(crate) answer: Planned,
}

/// What answers a turn.
pub(crate) enum Planned {
    Step(NumberedStep),
    /// The fallback answers.
    Fallback,
    /// The call fails, because the script has no more steps.
    Exhausted,
}

impl Planned {
    /// Returns what follows the last of `entries`, for the answer with this index.
    pub(crate) fn after_last(
        index: u64,
        entries: u64,
        on_exhausted: OnExhausted,
        entry: impl Fn(u64) -> Option<NumberedStep>,
    ) -> Self {
        let step = match on_exhausted {
            OnExhausted::Message => None,
            OnExhausted::RepeatLast => entries.checked_sub(1).and_then(entry),
            OnExhausted::Loop => index.checked_rem(entries).and_then(entry),
            OnExhausted::Fallback => return Self::Fallback,
            OnExhausted::Error => return Self::Exhausted,
        };
        let number = usize::try_from(index).unwrap_or(usize::MAX).saturating_add(1);
        let message = || {
            let step = Step { is_exhausted: true, ..Step::text(EXHAUSTED) };
            NumberedStep { number, step: step.into() }
        };
        Self::Step(step.unwrap_or_else(message))
    }
}

impl Chain {
    /// Returns what the chain has after this number of turns.
    pub(crate) fn plan(&self, turns: usize, on_exhausted: OnExhausted) -> Plan<'_> {
        if let Some(turn) = self.turns.get(turns) {
            return Plan { failures: &turn.failures, answer: Planned::Step(turn.step.clone()) };
        }
        let is_next = turns == self.turns();
        let failures = if is_next { self.last_failures.as_slice() } else { &[] };
        let (index, entries) = (turns as u64, self.turns() as u64);
        let answer = Planned::after_last(index, entries, on_exhausted, |index| {
            let turn = self.turns.get(usize::try_from(index).ok()?);
            turn.map(|turn| turn.step.clone())
        });
        Plan { failures, answer }
    }
}

/// The counters of the session of a call: how often steps have failed, and rules were used.
pub(crate) struct CallCounters<'a> {
    pub(crate) counters: &'a Counters,
    pub(crate) session: &'a str,
    pub(crate) component: &'a str,
    /// Whether the call is only explained, so that it does not count.
    pub(crate) is_explained: bool,
}

impl CallCounters<'_> {
    /// Returns the first step that has not failed often enough for this very request, and counts the
    /// failure. The name from `script` tells the steps of different scripts apart.
    pub(crate) fn next_failure(
        &self,
        script: impl FnOnce() -> String,
        failures: &[NumberedStep],
        request: &Request,
    ) -> Option<NumberedStep> {
        if failures.is_empty() {
            return None;
        }
        let (script, request) = (script(), conversation_hash(self.component, &request.messages));
        let fails = |NumberedStep { number, step }: &&NumberedStep| {
            let key = format!("{script}/{request:016x}/{number}");
            let times = step.times.map_or(0, Times::get);
            match self.is_explained {
                true => self.counters.get(self.session, &key) < times,
                false => self.counters.increment_below(self.session, &key, times).is_some(),
            }
        };
        failures.iter().find(fails).cloned()
    }
}
