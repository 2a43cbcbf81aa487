//! Counts how often something has been used in a session.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use prometheus::IntCounter;

use crate::base::clock::Moment;

/// How often something has been used, by session and by key.
///
/// Sessions are dropped when they have been idle, and when there are too many sessions or keys. The
/// least recently used session is dropped first.
#[derive(Debug)]
pub(crate) struct Counters {
    limits: Limits,
    sessions: Mutex<Sessions>,
    /// Counts the counts that are dropped because of a limit.
    dropped: IntCounter,
}

/// The limits of [`Counters`].
#[derive(Debug, Clone, Copy)]
struct Limits {
    sessions: usize,
    /// Maximum number of keys of one session.
    session_keys: usize,
    /// Maximum number of keys of all sessions.
    keys: usize,
    idle: Duration,
}

const LIMITS: Limits = Limits {
    sessions: 10_000,
    session_keys: 10_000,
    keys: 100_000,
    idle: Duration::from_secs(60 * 60),
};

#[derive(Debug, Default)]
struct Sessions {
    by_name: BTreeMap<Arc<str>, Session>,
    /// The names by last use, oldest first.
    by_use: BTreeMap<u64, Arc<str>>,
    uses: u64,
    /// The number of keys of all sessions.
    keys: usize,
}

#[derive(Debug)]
struct Session {
    counts: BTreeMap<Box<str>, Count>,
    last_use: u64,
    used_at: Moment,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    value: u64,
    last_use: u64,
}

impl Default for Counters {
    #[expect(clippy::expect_used, reason = "the name is constant and valid")]
    fn default() -> Self {
        let dropped = IntCounter::new("dropped", "Dropped counts").expect("valid name");
        Self::new(dropped)
    }
}

impl Counters {
    /// Creates counters. `dropped` counts the counts that are dropped because of a limit.
    pub(crate) fn new(dropped: IntCounter) -> Self {
        Self { limits: LIMITS, sessions: Mutex::default(), dropped }
    }

    /// Increments a count and returns its previous value.
    pub(crate) fn increment(&self, session: &str, key: &str) -> u64 {
        self.increment_to(session, key, u64::MAX)
    }

    /// Increments a count that is below a limit and returns its previous value. Returns `None` if the
    /// limit is reached.
    pub(crate) fn increment_below(&self, session: &str, key: &str, limit: u64) -> Option<u64> {
        Some(self.increment_to(session, key, limit)).filter(|previous| *previous < limit)
    }

    /// Increments a count up to a limit and returns its previous value.
    fn increment_to(&self, session: &str, key: &str, limit: u64) -> u64 {
        let mut sessions = self.lock();
        let dropped = sessions.drop_idle(self.limits.idle);
        let previous = sessions.increment(session, key, limit);
        let dropped = dropped + sessions.shrink(session, &self.limits);
        self.dropped.inc_by(dropped);
        previous
    }

    /// Returns a count, which is 0 before the first increment.
    pub(crate) fn get(&self, session: &str, key: &str) -> u64 {
        let sessions = self.lock();
        let session = sessions.by_name.get(session);
        session.and_then(|it| it.counts.get(key)).map_or(0, |count| count.value)
    }

    /// Removes the counts of a session.
    pub(crate) fn reset(&self, session: &str) {
        self.lock().remove(session);
    }

    /// Removes the counts of all sessions.
    pub(crate) fn reset_all(&self) {
        *self.lock() = Sessions::default();
    }

    /// Ignores poisoning, because a panic cannot leave the sessions in an invalid state.
    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    /// Increments a count up to a limit and returns its previous value.
    fn increment(&mut self, name: &str, key: &str, limit: u64) -> u64 {
        self.uses += 1;
        let session = match self.by_name.get_mut(name) {
            Some(session) => session,
            None => {
                let counts = BTreeMap::new();
                let session = Session { counts, last_use: self.uses, used_at: Moment::now() };
                self.by_name.entry(name.into()).or_insert(session)
            }
        };
        let name = self.by_use.remove(&session.last_use).unwrap_or_else(|| name.into());
        self.by_use.insert(self.uses, name);
        session.last_use = self.uses;
        session.used_at = Moment::now();
        match session.counts.get_mut(key) {
            Some(count) => {
                count.last_use = self.uses;
                let previous = count.value;
                count.value = previous.saturating_add(1).min(limit.max(previous));
                previous
            }
            None => {
                session
                    .counts
                    .insert(key.into(), Count { value: limit.min(1), last_use: self.uses });
                self.keys += 1;
                0
            }
        }
    }

    /// Drops what exceeds a limit, after `session` has been used. Returns the number of counts.
    fn shrink(&mut self, session: &str, limits: &Limits) -> u64 {
        let mut dropped = 0;
        if let Some(used) = self.by_name.get_mut(session)
            && used.counts.len() > limits.session_keys
        {
            dropped += used.drop_oldest();
            self.keys -= 1;
        }
        while self.by_name.len() > limits.sessions || self.keys > limits.keys {
            dropped += self.drop_oldest();
        }
        dropped
    }

    fn drop_idle(&mut self, limit: Duration) -> u64 {
        let mut dropped = 0;
        while let Some((_, name)) = self.by_use.first_key_value()
            && self.by_name.get(name).is_none_or(|session| session.used_at.age() > limit)
        {
            dropped += self.drop_oldest();
        }
        dropped
    }

    fn drop_oldest(&mut self) -> u64 {
        let oldest = self.by_use.first_key_value().map(|(_, name)| name.clone());
        oldest.map_or(0, |name| self.remove(&name))
    }

    /// Removes a session. Returns the number of its counts.
    fn remove(&mut self, name: &str) -> u64 {
        let Some(session) = self.by_name.remove(name) else { return 0 };
        self.by_use.remove(&session.last_use);
        self.keys -= session.counts.len();
        session.counts.len() as u64
    }
}

impl Session {
    /// Drops the least recently used count. Returns the number of dropped counts.
    fn drop_oldest(&mut self) -> u64 {
        let oldest = self.counts.iter().min_by_key(|(_, count)| count.last_use);
        let oldest = oldest.map(|(key, _)| key.clone());
        oldest.and_then(|key| self.counts.remove(&key)).map_or(0, |_| 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Counters {
        let idle = LIMITS.idle;
        let limits = Limits { sessions: 3, session_keys: 2, keys: 4, idle };
        Counters { limits, ..Counters::default() }
    }

    #[test]
    fn counts_by_session_and_key() {
        let counters = Counters::default();
        assert_eq!([(); 3].map(|()| counters.increment("a", "x")), [0, 1, 2]);
        assert_eq!(counters.increment("b", "x"), 0);
        assert_eq!(counters.increment("a", "y"), 0);
        assert_eq!(counters.get("a", "x"), 3);
        assert_eq!(counters.get("c", "x"), 0);
    }

    #[test]
    fn counts_up_to_a_limit() {
        let counters = Counters::default();
        let counted = [(); 4].map(|()| counters.increment_below("a", "x", 2));
        assert_eq!(counted, [Some(0), Some(1), None, None]);
        assert_eq!(counters.get("a", "x"), 2);
        assert_eq!(counters.increment("a", "x"), 2);
        assert_eq!(counters.increment_below("a", "x", 2), None);
        assert_eq!(counters.get("a", "x"), 3);
    }

    #[test]
    fn resets_one_session_or_all() {
        let counters = Counters::default();
        for session in ["a", "b", "c"] {
            counters.increment(session, "x");
        }
        counters.reset("a");
        assert_eq!(["a", "b", "c"].map(|session| counters.get(session, "x")), [0, 1, 1]);
        counters.reset_all();
        assert_eq!(["a", "b", "c"].map(|session| counters.get(session, "x")), [0, 0, 0]);
        assert_eq!(counters.dropped.get(), 0);
    }

    #[test]
    fn drops_the_least_recently_used_session() {
        let counters = small();
        for session in ["a", "b", "c", "a", "d"] {
            counters.increment(session, "x");
        }
        assert_eq!(["a", "b", "c", "d"].map(|session| counters.get(session, "x")), [2, 0, 1, 1]);
        assert_eq!(counters.dropped.get(), 1);
    }

    #[test]
    fn drops_the_least_recently_used_key_of_a_session() {
        let counters = small();
        for key in ["x", "y", "x", "z"] {
            counters.increment("a", key);
        }
        assert_eq!(["x", "y", "z"].map(|key| counters.get("a", key)), [2, 0, 1]);
        assert_eq!(counters.dropped.get(), 1);
    }

    #[test]
    fn limits_the_keys_of_all_sessions() {
        let counters = small();
        for session in ["a", "b", "c"] {
            counters.increment(session, "x");
            counters.increment(session, "y");
        }
        assert_eq!(["a", "b", "c"].map(|session| counters.get(session, "x")), [0, 1, 1]);
        assert_eq!(counters.dropped.get(), 2);
        assert_eq!(counters.lock().keys, 4);
    }

    #[tokio::test(start_paused = true)]
    async fn drops_idle_sessions() {
        let counters = Counters::default();
        counters.increment("a", "x");
        crate::base::clock::pause(LIMITS.idle + Duration::from_secs(1)).await;
        counters.increment("b", "x");
        assert_eq!(["a", "b"].map(|session| counters.get(session, "x")), [0, 1]);
        assert_eq!(counters.dropped.get(), 1);
    }
}
