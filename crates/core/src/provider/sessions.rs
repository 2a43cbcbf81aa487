//! Values by session, of a limited number of sessions.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crate::base::clock::Moment;

/// What is kept of a session.
pub trait SessionValue {
    /// Returns the size, in the unit of [`SessionLimits::size`].
    fn size(&self) -> usize;
}

impl<T: SessionValue> SessionValue for Arc<T> {
    fn size(&self) -> usize {
        (**self).size()
    }
}

/// Values by session.
///
/// Sessions are dropped when they have been idle, and when there are too many, or when they are too
/// large together. The least recently used session is dropped first.
#[derive(Debug)]
pub struct Sessions<T> {
    limits: SessionLimits,
    by_name: BTreeMap<Arc<str>, Session<T>>,
    /// The names by last use, oldest first.
    by_use: BTreeMap<u64, Arc<str>>,
    uses: u64,
    /// The size of all values.
    pub size: usize,
}

/// The limits of [`Sessions`].
#[derive(Debug, Clone, Copy)]
pub struct SessionLimits {
    /// Maximum number of sessions.
    pub sessions: usize,
    /// Maximum size of all values.
    pub size: usize,
    /// The time without use after which a session is dropped.
    pub idle: Duration,
}

#[derive(Debug)]
struct Session<T> {
    value: T,
    /// The size when the session was last used.
    size: usize,
    last_use: u64,
    used_at: Moment,
}

impl SessionLimits {
    /// The time without use after which the sidecar drops what it keeps of a session.
    pub const IDLE: Duration = Duration::from_secs(60 * 60);

    /// Returns the limits of what the sidecar keeps of its sessions.
    pub const fn with_size(size: usize) -> Self {
        Self { sessions: 10_000, size, idle: Self::IDLE }
    }
}

impl<T: SessionValue> Sessions<T> {
    /// Creates a map without sessions.
    pub fn new(limits: SessionLimits) -> Self {
        let (by_name, by_use) = (BTreeMap::new(), BTreeMap::new());
        Self { limits, by_name, by_use, uses: 0, size: 0 }
    }

    /// Accesses the value of a session, which is created if there is none. Also returns the values that
    /// were dropped.
    pub fn access<R>(
        &mut self,
        name: &str,
        create: impl FnOnce() -> T,
        access: impl FnOnce(&mut T) -> R,
    ) -> (R, Vec<T>) {
        let mut dropped = self.drop_idle();
        let result = self.use_session(name, create, access);
        dropped.extend(self.measure(name));
        (result, dropped)
    }

    /// Returns the value of a session, without using it.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.by_name.get(name).map(|session| &session.value)
    }

    /// Changes the value of a session, if there is one, without using it.
    pub fn change(&mut self, name: &str, change: impl FnOnce(&mut T)) {
        if let Some(session) = self.by_name.get_mut(name) {
            change(&mut session.value);
            self.measure(name);
        }
    }

    /// Measures the value of a session again. Returns the values that were dropped.
    pub fn measure(&mut self, name: &str) -> Vec<T> {
        if let Some(session) = self.by_name.get_mut(name) {
            let size = session.value.size();
            self.size = self.size - session.size + size;
            session.size = size;
        }
        let mut dropped = Vec::new();
        while self.by_name.len() > self.limits.sessions || self.size > self.limits.size {
            dropped.extend(self.drop_oldest());
        }
        dropped
    }

    /// Removes a session, or all sessions.
    pub fn reset(&mut self, name: Option<&str>) {
        match name {
            Some(name) => drop(self.remove(name)),
            None => *self = Self::new(self.limits),
        }
    }

    fn use_session<R>(
        &mut self,
        name: &str,
        create: impl FnOnce() -> T,
        access: impl FnOnce(&mut T) -> R,
    ) -> R {
        self.uses += 1;
        let session = match self.by_name.get_mut(name) {
            Some(session) => session,
            None => {
                let (last_use, used_at) = (self.uses, Moment::now());
                let session = Session { value: create(), size: 0, last_use, used_at };
                self.by_name.entry(name.into()).or_insert(session)
            }
        };
        let name = self.by_use.remove(&session.last_use).unwrap_or_else(|| name.into());
        self.by_use.insert(self.uses, name);
        session.last_use = self.uses;
        session.used_at = Moment::now();
        access(&mut session.value)
    }

    fn drop_idle(&mut self) -> Vec<T> {
        let mut dropped = Vec::new();
        while let Some((_, name)) = self.by_use.first_key_value()
            && self.by_name.get(name).is_none_or(|it| it.used_at.age() > self.limits.idle)
        {
            dropped.extend(self.drop_oldest());
        }
        dropped
    }

    fn drop_oldest(&mut self) -> Option<T> {
        let (_, name) = self.by_use.pop_first()?;
        self.remove(&name)
    }

    fn remove(&mut self, name: &str) -> Option<T> {
        let session = self.by_name.remove(name)?;
        self.by_use.remove(&session.last_use);
        self.size -= session.size;
        Some(session.value)
    }
}
