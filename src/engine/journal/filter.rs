//! Which entries are wanted.

use super::entry::Entry;
use crate::engine::outcome::CallOutcome;

/// Selects entries of the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EntryFilter {
    /// The session, if the entries of one are wanted.
    pub(crate) session: Option<String>,
    /// The component, if the entries of one are wanted.
    pub(crate) component: Option<String>,
    /// How the calls have ended, if only such entries are wanted.
    pub(crate) outcome: Option<CallOutcome>,
    /// Only entries with a higher number are wanted.
    pub(crate) since: u64,
}

impl EntryFilter {
    /// Returns `true` if the entry is selected.
    pub(crate) fn selects(&self, entry: &Entry) -> bool {
        entry.number > self.since
            && self.session.as_deref().is_none_or(|session| session == entry.session())
            && self.component.as_ref().is_none_or(|component| **component == *entry.component)
            && self.outcome.is_none_or(|outcome| outcome == entry.outcome.kind())
    }
}
