//! The faults that tests have set while the sidecar runs.

use std::{
    collections::BTreeMap,
    sync::{
        PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error as ThisError;

use crate::provider::{
    CallContext,
    counters::Counters,
    faults::{Fault, FaultKey, FaultTarget, Faults, Phase},
};

/// Maximum number of targets.
const MAX_TARGETS: usize = 10_000;
/// Maximum size of all faults in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The faults that tests have set, by component and session.
#[derive(Debug, Default)]
pub(crate) struct FaultTable {
    /// Whether there are any, so that most calls need no lock.
    is_active: AtomicBool,
    /// The number of sets of faults so far. Each set counts calls for itself.
    sets: AtomicU64,
    targets: RwLock<BTreeMap<Target, SetFaults>>,
}

/// The faults of a target.
#[derive(Debug)]
struct SetFaults {
    set: FaultSet,
    written: Value,
}

/// The faults that tests have set for a component and a session, as they are shown.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ShownFaults {
    /// The component. Missing if the faults are for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    component: Option<String>,
    /// The session. Missing if the faults are for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    session: Option<String>,
    /// The faults as they were set.
    #[schemars(with = "Vec<Map<String, Value>>")]
    faults: Value,
}

/// A component and a session. `None` stands for all of them.
type Target = (Option<String>, Option<String>);

/// Faults that count calls for themselves.
#[derive(Debug)]
pub(super) struct FaultSet {
    number: u64,
    /// Where the faults come from. Draws depend on it, but not on the number, which changes when faults
    /// are set or loaded again.
    origin: &'static str,
    faults: Faults,
}

/// The faults would exceed a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
#[error(
    "faults are full: there are at most {MAX_TARGETS} pairs of component and session, and \
     {MAX_BYTES} bytes; remove those of other sessions"
)]
pub(crate) struct FaultsFull;

impl FaultTable {
    /// Replaces the faults of a component and a session. If there are none, removes the earlier ones.
    pub(crate) fn set(&self, target: FaultTarget) -> Result<(), FaultsFull> {
        let FaultTarget { component, session, faults, written } = target;
        let origin = match (&component, &session) {
            (Some(_), Some(_)) => "test of a component and a session",
            (None, Some(_)) => "test of a session",
            (Some(_), None) => "test of a component",
            (None, None) => "test",
        };
        let (key, set) = ((component, session), self.number(origin, faults));
        let mut targets = self.write();
        if set.faults.is_empty() {
            targets.remove(&key);
        } else {
            let others = targets.iter().filter(|(other, _)| **other != key);
            let (count, bytes) = others.fold((0, 0), |(count, bytes), (_, other)| {
                (count + 1, bytes + other.set.faults.size())
            });
            if count >= MAX_TARGETS || bytes + set.faults.size() > MAX_BYTES {
                return Err(FaultsFull);
            }
            targets.insert(key, SetFaults { set, written });
        }
        self.is_active.store(!targets.is_empty(), Ordering::Relaxed);
        Ok(())
    }

    /// Returns the faults that tests have set, for a session or all.
    pub(crate) fn shown(&self, session: Option<&str>) -> Vec<ShownFaults> {
        let targets = self.read();
        let selected = targets.iter().filter(|(target, _)| is_of(target, session));
        let shown = selected.map(|((component, session), faults)| ShownFaults {
            component: component.clone(),
            session: session.clone(),
            faults: faults.written.clone(),
        });
        shown.collect()
    }

    /// Returns the number of faults that tests have set, for a session or all, without those that can
    /// no longer apply to a call: a `fail_first` is over when its session has made as many calls. Without
    /// a session, it counts for each one, and another can come.
    pub(crate) fn count(&self, session: Option<&str>, counters: &Counters) -> usize {
        if !self.is_active() {
            return 0;
        }
        let targets = self.read();
        let selected = targets.iter().filter(|(target, _)| is_of(target, session));
        selected.map(|((_, of), it)| it.set.active(of.as_deref(), counters)).sum()
    }

    /// Removes the faults of a session, or all faults.
    pub(crate) fn clear(&self, session: Option<&str>) {
        let mut targets = self.write();
        match session {
            Some(session) => targets.retain(|(_, of), _| of.as_deref() != Some(session)),
            None => targets.clear(),
        }
        self.is_active.store(!targets.is_empty(), Ordering::Relaxed);
    }

    /// Numbers the faults in the metadata of a component.
    pub(super) fn of_component(&self, faults: Faults) -> FaultSet {
        self.number("component", faults)
    }

    fn number(&self, origin: &'static str, faults: Faults) -> FaultSet {
        FaultSet { number: self.sets.fetch_add(1, Ordering::Relaxed), origin, faults }
    }

    /// Returns `true` if tests have set faults for any call.
    pub(super) fn is_active(&self) -> bool {
        self.is_active.load(Ordering::Relaxed)
    }

    /// Returns the first fault that applies to a call. Those of its session come first.
    pub(super) fn select(
        &self,
        component: &str,
        phase: Phase,
        request: u64,
        context: &CallContext,
    ) -> Option<Fault> {
        let targets = self.read();
        let (component, session) = (component.to_owned(), context.session_name().to_owned());
        let keys = [
            (Some(component.clone()), Some(session.clone())),
            (None, Some(session)),
            (Some(component), None),
            (None, None),
        ];
        let mut sets = keys.iter().filter_map(|key| targets.get(key));
        sets.find_map(|faults| faults.set.select(phase, request, context))
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Target, SetFaults>> {
        self.targets.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ignores poisoning, because a panic cannot leave the map in an invalid state.
    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<Target, SetFaults>> {
        self.targets.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns `true` if faults are for a session. `None` selects all.
fn is_of((_, of): &Target, session: Option<&str>) -> bool {
    session.is_none() || of.as_deref() == session
}

impl FaultSet {
    pub(super) fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns the first fault that applies to a call.
    pub(super) fn select(
        &self,
        phase: Phase,
        request: u64,
        context: &CallContext,
    ) -> Option<Fault> {
        let counter = self.counter();
        let key = FaultKey { counter: &counter, draw: self.origin };
        self.faults.select(phase, key, request, context).cloned()
    }

    fn active(&self, session: Option<&str>, counters: &Counters) -> usize {
        self.faults.active(&self.counter(), session, counters)
    }

    fn counter(&self) -> String {
        format!("fault/{}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::provider::faults::Effect;

    fn target(text: &str) -> FaultTarget {
        FaultTarget::parse(text).unwrap()
    }

    /// Returns the context of a call in a session.
    fn context(session: &str) -> CallContext {
        let mut context = CallContext::new(Some(session.into()), None);
        context.set_records(Arc::default(), Arc::default(), Arc::default(), false);
        context
    }

    fn chunks(table: &FaultTable, component: &str, context: &CallContext) -> Option<usize> {
        match table.select(component, Phase::Request, 0, context)?.effect {
            Effect::CutAfter(chunks) => Some(chunks),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn prefers_the_faults_of_a_session() {
        let table = FaultTable::default();
        assert!(!table.is_active());
        for text in [
            r#"{"cut_after":1}"#,
            r#"{"component":"echo","cut_after":2}"#,
            r#"{"session":"s","cut_after":3}"#,
            r#"{"component":"echo","session":"s","fail_first":1,"cut_after":4}"#,
        ] {
            table.set(target(text)).unwrap();
        }
        let (ours, other) = (context("s"), context("t"));
        assert_eq!(chunks(&table, "echo", &ours), Some(4));
        assert_eq!(chunks(&table, "echo", &ours), Some(3));
        assert_eq!(chunks(&table, "other", &ours), Some(3));
        assert_eq!(chunks(&table, "echo", &other), Some(2));
        assert_eq!(chunks(&table, "other", &other), Some(1));
        table.clear(Some("s"));
        assert_eq!(chunks(&table, "echo", &ours), Some(2));
        table.set(target(r#"{"component":"echo","faults":[]}"#)).unwrap();
        assert_eq!(chunks(&table, "echo", &ours), Some(1));
        table.clear(None);
        assert!(!table.is_active() && chunks(&table, "echo", &ours).is_none());
    }

    #[test]
    fn faults_that_are_set_again_count_again() {
        let (table, context) = (FaultTable::default(), context("s"));
        for _ in 0..2 {
            table.set(target(r#"{"fail_first":1,"cut_after":1}"#)).unwrap();
            assert_eq!(chunks(&table, "echo", &context), Some(1));
            assert_eq!(chunks(&table, "echo", &context), None);
        }
    }

    #[test]
    fn a_fault_that_is_over_is_not_counted() {
        let table = FaultTable::default();
        let (counters, mut context) = (Arc::<Counters>::default(), context("s"));
        context.set_records(counters.clone(), Arc::default(), Arc::default(), false);
        let count = |session| table.count(session, &counters);
        assert_eq!(count(None), 0);
        table.set(target(r#"{"component":"echo","fail_first":1,"cut_after":1}"#)).unwrap();
        let faults = r#"[{"fail_first":1,"cut_after":2},{"cut_after":3}]"#;
        table.set(target(&format!(r#"{{"session":"s","faults":{faults}}}"#))).unwrap();
        assert_eq!([count(None), count(Some("s")), count(Some("t"))], [3, 2, 0]);
        assert_eq!(chunks(&table, "echo", &context), Some(2));
        assert_eq!([count(None), count(Some("s"))], [2, 1]);
        table.clear(None);
        assert_eq!(count(None), 0);
    }

    #[test]
    fn limits_the_number_and_the_size_of_faults() {
        let table = FaultTable::default();
        for number in 0..MAX_TARGETS {
            table.set(target(&format!(r#"{{"session":"{number}","hang":true}}"#))).unwrap();
        }
        assert_eq!(table.set(target(r#"{"hang":true}"#)), Err(FaultsFull));
        table.set(target(r#"{"session":"0","delay":"1s"}"#)).unwrap();
        table.clear(None);
        let large = format!(r#"{{"malformed_args":"{}"}}"#, "x".repeat(10_000));
        let large = vec![large; 100].join(",");
        let set = |session: usize| {
            table.set(target(&format!(r#"{{"session":"{session}","faults":[{large}]}}"#)))
        };
        assert_eq!((0..).map(set).take_while(Result::is_ok).count(), 16);
    }
}
