//! Counts how often something has been used in a session.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
};

use prometheus::IntCounter;

use super::sessions::{SessionLimits, SessionValue, Sessions};

/// Maximum number of keys of one session.
const SESSION_KEYS: usize = 10_000;
/// Maximum number of keys of all sessions.
const KEYS: usize = 100_000;

/// How often something has been used, by session and by key. If a session has too many keys, the least
/// recently used is dropped.
#[derive(Debug)]
pub struct Counters {
    session_keys: usize,
    sessions: Mutex<Sessions<Counts>>,
    /// Number of counts that are dropped because of a limit.
    dropped: IntCounter,
}

/// The counts of a session.
#[derive(Debug, Default)]
struct Counts {
    by_key: BTreeMap<Box<str>, Count>,
    uses: u64,
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
    /// Creates counters. `dropped` is increased for each count that is dropped because of a limit.
    pub fn new(dropped: IntCounter) -> Self {
        let sessions = Sessions::new(SessionLimits::with_size(KEYS));
        Self { session_keys: SESSION_KEYS, sessions: sessions.into(), dropped }
    }

    /// Increments a count and returns its previous value.
    pub fn increment(&self, session: &str, key: &str) -> u64 {
        self.increment_to(session, key, u64::MAX)
    }

    /// Increments a count that is below a limit and returns its previous value. Returns `None` if the
    /// limit is reached.
    pub fn increment_below(&self, session: &str, key: &str, limit: u64) -> Option<u64> {
        Some(self.increment_to(session, key, limit)).filter(|previous| *previous < limit)
    }

    /// Increments a count up to a limit and returns its previous value.
    fn increment_to(&self, session: &str, key: &str, limit: u64) -> u64 {
        let increment = |counts: &mut Counts| {
            let previous = counts.increment(key, limit);
            (previous, counts.shrink(self.session_keys))
        };
        let ((previous, keys), sessions) = self.lock().access(session, Counts::default, increment);
        let of_sessions: usize = sessions.iter().map(Counts::size).sum();
        self.dropped.inc_by(keys + of_sessions as u64);
        previous
    }

    /// Returns a count, which is 0 before the first increment.
    pub fn get(&self, session: &str, key: &str) -> u64 {
        let sessions = self.lock();
        let count = sessions.get(session).and_then(|it| it.by_key.get(key));
        count.map_or(0, |count| count.value)
    }

    /// Removes the counts of a session whose keys start with one of these.
    pub fn remove(&self, session: &str, starts: &[String]) {
        self.lock().change(session, |counts| {
            for start in starts {
                counts.remove(start);
            }
        });
    }

    /// Removes the counts of a session, or of all sessions.
    pub fn reset(&self, session: Option<&str>) {
        self.lock().reset(session);
    }

    /// Ignores poisoning, because a panic cannot leave the sessions in an invalid state.
    fn lock(&self) -> MutexGuard<'_, Sessions<Counts>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionValue for Counts {
    fn size(&self) -> usize {
        self.by_key.len()
    }
}

impl Counts {
    /// Increments a count up to a limit and returns its previous value.
    fn increment(&mut self, key: &str, limit: u64) -> u64 {
        self.uses += 1;
        let Some(count) = self.by_key.get_mut(key) else {
            self.by_key.insert(key.into(), Count { value: limit.min(1), last_use: self.uses });
            return 0;
        };
        count.last_use = self.uses;
        let previous = count.value;
        count.value = previous.saturating_add(1).min(limit.max(previous));
        previous
    }

    /// Removes the counts whose keys start like this.
    fn remove(&mut self, start: &str) {
        let from = (Bound::Included(start), Bound::Unbounded);
        let keys = self.by_key.range::<str, _>(from).map(|(key, _)| key.clone());
        let keys: Vec<_> = keys.take_while(|key| key.starts_with(start)).collect();
        for key in keys {
            self.by_key.remove(&key);
        }
    }

    /// Drops the least recently used count if there are too many. Returns the number of dropped counts.
    fn shrink(&mut self, max_keys: usize) -> u64 {
        if self.by_key.len() <= max_keys {
            return 0;
        }
        let oldest = self.by_key.iter().min_by_key(|(_, count)| count.last_use);
        let oldest = oldest.map(|(key, _)| key.clone());
        oldest.and_then(|key| self.by_key.remove(&key)).map_or(0, |_| 1)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn small() -> Counters {
        let limits = SessionLimits { sessions: 3, ..SessionLimits::with_size(4) };
        let sessions = Sessions::new(limits).into();
        Counters { session_keys: 2, sessions, ..Counters::default() }
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
        counters.reset(Some("a"));
        assert_eq!(["a", "b", "c"].map(|session| counters.get(session, "x")), [0, 1, 1]);
        counters.reset(None);
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
        assert_eq!(counters.lock().size, 4);
    }

    #[tokio::test(start_paused = true)]
    async fn drops_idle_sessions() {
        let counters = Counters::default();
        counters.increment("a", "x");
        crate::base::clock::pause(SessionLimits::with_size(1).idle + Duration::from_secs(1)).await;
        counters.increment("b", "x");
        assert_eq!(["a", "b"].map(|session| counters.get(session, "x")), [0, 1]);
        assert_eq!(counters.dropped.get(), 1);
    }
}
