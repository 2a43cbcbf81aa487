//! The calls of real models that are not recorded, so that a recording without exchanges can be explained.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{
    base::{
        terminal::escape_controls,
        text::{count, shorten},
    },
    provider::ProviderError,
};

/// Maximum length of an error in a reason, in characters.
const MAX_ERROR: usize = 300;

/// The calls that are not recorded.
#[derive(Debug, Default)]
pub(super) struct Unrecorded(Mutex<Calls>);

#[derive(Debug, Default)]
struct Calls {
    failed: usize,
    last_error: String,
    /// Number of calls that have ended before their answer was complete.
    cut: usize,
}

impl Unrecorded {
    /// Counts a call that has failed.
    pub(super) fn add_failed(&self, error: &ProviderError) {
        let mut calls = self.lock();
        calls.failed += 1;
        calls.last_error = shorten(&error.message, MAX_ERROR).into_owned();
    }

    /// Counts a call that has ended before its answer was complete. Returns `true` for the first one.
    pub(super) fn add_cut(&self) -> bool {
        let mut calls = self.lock();
        calls.cut += 1;
        calls.cut == 1
    }

    /// Returns why nothing was recorded, if there were calls.
    pub(super) fn reason(&self) -> Option<String> {
        let Calls { failed, last_error, cut } = &*self.lock();
        let failed = Some(*failed).filter(|failed| *failed > 0).map(|failed| {
            let last = escape_controls(last_error);
            format!("{} failed, the last with: {last}", count(failed, "call"))
        });
        let cut = Some(*cut).filter(|cut| *cut > 0);
        let cut =
            cut.map(|cut| format!("{} ended before the answer was complete", count(cut, "call")));
        let reasons: Vec<_> = cut.into_iter().chain(failed).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Ignores poisoning, because a panic cannot leave the value in an invalid state.
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
