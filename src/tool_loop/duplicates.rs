//! Calls that were made already.

use std::collections::BTreeSet;

/// Which calls are not run, since they were made already: same tool, same arguments, the order of
/// keys does not count, and numbers do by their value. Within a turn the second of two is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Those of the turn before.
    #[default]
    Previous,
    /// Those that have succeeded in any turn before.
    AnySuccessful,
    /// None.
    Off,
}

/// Knows the calls of one run.
#[derive(Debug)]
pub(super) struct CallLog {
    policy: Duplicates,
    /// Calls that would be duplicates.
    known: BTreeSet<String>,
    turn: BTreeSet<String>,
}

impl CallLog {
    pub(super) fn new(policy: Duplicates) -> Self {
        Self { policy, known: BTreeSet::new(), turn: BTreeSet::new() }
    }

    /// Whether the next call of the turn is a duplicate.
    pub(super) fn is_duplicate(&mut self, key: &str) -> bool {
        let is_first = self.turn.insert(key.to_owned());
        self.policy != Duplicates::Off && (!is_first || self.known.contains(key))
    }

    /// Ends the turn. `succeeded` are its calls that have a result.
    pub(super) fn end_turn(&mut self, succeeded: impl Iterator<Item = String>) {
        let turn = std::mem::take(&mut self.turn);
        match self.policy {
            Duplicates::Previous => self.known = turn,
            Duplicates::AnySuccessful => self.known.extend(succeeded),
            Duplicates::Off => {}
        }
    }
}
