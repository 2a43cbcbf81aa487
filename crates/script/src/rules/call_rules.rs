//! The rules that a call sees.

use std::sync::Arc;

use super::{Rules, SessionRules, matching::MatchedCall, rule::Rule};

/// Where the rules for the calls of a component come from.
#[derive(Debug, Clone)]
pub struct RuleSources {
    /// The rules of the component, if it has any.
    pub component: Option<Arc<Rules>>,
    /// The rules that tests set for their sessions.
    pub sessions: Arc<SessionRules>,
}

/// The rules that a call sees: those of its session, then those of its component.
#[derive(Debug)]
pub struct CallRules<'r> {
    session: Option<Arc<Rules>>,
    component: Option<&'r Arc<Rules>>,
}

impl RuleSources {
    /// Returns the rules that a call in a session sees.
    pub fn of_call(&self, session: &str) -> CallRules<'_> {
        CallRules { session: self.sessions.get(session), component: self.component.as_ref() }
    }
}

/// The rules of a component outside of a sidecar.
impl From<Arc<Rules>> for RuleSources {
    fn from(component: Arc<Rules>) -> Self {
        Self { component: Some(component), sessions: Arc::default() }
    }
}

impl CallRules<'_> {
    /// Returns the rules of each source that has any, in the order in which they are tried.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Arc<Rules>> {
        self.session.iter().chain(self.component).filter(|rules| !rules.rules.is_empty())
    }

    /// Returns `true` if there are no rules.
    pub(super) fn is_empty(&self) -> bool {
        self.sources().next().is_none()
    }

    /// Returns the number of patterns that are searched in every call.
    pub(super) fn searches(&self) -> usize {
        self.sources().map(|rules| rules.index.searches()).sum()
    }
}

impl Rules {
    /// Returns the rules that match a call, in the order in which they are tried.
    pub(super) fn matching<'r>(
        &'r self,
        call: &'r MatchedCall<'_>,
    ) -> impl Iterator<Item = &'r Arc<Rule>> {
        let candidates = self.index.candidates(call).filter_map(|at| self.rules.get(at));
        candidates.filter(|rule| rule.conditions.holds(call))
    }
}
