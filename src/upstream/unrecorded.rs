//! The calls of real models that are not recorded, so that a recording without exchanges can be explained.

use std::sync::{Mutex, PoisonError};

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
pub(super) struct Unrecorded(Mutex<Failed>);

/// The calls that have failed.
#[derive(Debug, Default)]
struct Failed {
    calls: usize,
    last: String,
}

impl Unrecorded {
    /// Counts a call that has failed.
    pub(super) fn add_failed(&self, error: &ProviderError) {
        // A panic cannot leave the value in an invalid state.
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failed.calls += 1;
        failed.last = shorten(&error.message, MAX_ERROR).into_owned();
    }

    /// Returns why nothing was recorded, if there were calls.
    pub(super) fn reason(&self) -> Option<String> {
        let Failed { calls, last } = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = Some(*calls).filter(|calls| *calls > 0)?;
        Some(format!("{} failed, the last with: {}", count(calls, "call"), escape_controls(last)))
    }
}
