//! Calls that wait on purpose, because of a delay or a fault.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

/// The calls that wait, by session.
#[derive(Debug, Default)]
pub struct WaitingCalls {
    sessions: Mutex<BTreeMap<Arc<str>, Session>>,
}

/// The calls of a session that wait. There is at least one.
#[derive(Debug, Default)]
struct Session {
    calls: usize,
    /// Ends their waits.
    end: CancellationToken,
}

/// A call that waits until this is dropped.
#[derive(Debug)]
pub(super) struct WaitingCall<'w> {
    calls: &'w WaitingCalls,
    session: Arc<str>,
    end: CancellationToken,
}

impl WaitingCalls {
    /// Adds a call of a session.
    pub(super) fn add(&self, session: &str) -> WaitingCall<'_> {
        let (session, mut sessions) = (Arc::<str>::from(session), self.lock());
        let waiting = sessions.entry(session.clone()).or_default();
        waiting.calls += 1;
        WaitingCall { calls: self, session, end: waiting.end.clone() }
    }

    /// Returns how many calls of a session wait, or of all sessions.
    pub fn count(&self, session: Option<&str>) -> usize {
        let sessions = self.lock();
        match session {
            Some(session) => sessions.get(session).map_or(0, |waiting| waiting.calls),
            None => sessions.values().map(|waiting| waiting.calls).sum(),
        }
    }

    /// Ends the waits of the calls of a session, or of all sessions.
    pub fn end(&self, session: Option<&str>) {
        for (name, waiting) in &mut *self.lock() {
            if session.is_none_or(|session| session == &**name) {
                std::mem::take(&mut waiting.end).cancel();
            }
        }
    }

    /// Ignores poisoning, because a panic cannot leave the counts in an invalid state.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingCall<'_> {
    /// Completes when a test ends the wait.
    pub(super) async fn ended(&self) {
        self.end.cancelled().await;
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        let mut sessions = self.calls.lock();
        if let Some(waiting) = sessions.get_mut(&self.session) {
            waiting.calls -= 1;
            if waiting.calls == 0 {
                sessions.remove(&self.session);
            }
        }
    }
}
