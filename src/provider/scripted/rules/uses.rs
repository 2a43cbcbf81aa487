//! Counts the uses of rules in a session.

use std::path::Path;

use super::rule::Rule;
use crate::{
    chat::Request,
    provider::{conversation_hash, counters::Counters, scripted::chains::NumberedStep},
};

/// The uses of the rules of a file in the session of a call.
pub(super) struct Uses<'a> {
    pub(super) counters: &'a Counters,
    pub(super) session: &'a str,
    pub(super) file: &'a Path,
    pub(super) component: &'a str,
}

impl Uses<'_> {
    /// Counts a use of a rule. Returns how often it was used before.
    pub(super) fn count_rule(&self, rule: &Rule) -> u64 {
        self.counters.increment(self.session, &self.key(rule))
    }

    /// Returns how often a rule was used, if its uses are counted.
    pub(super) fn of_rule(&self, rule: &Rule) -> u64 {
        self.counters.get(self.session, &self.key(rule))
    }

    /// Returns the first step that has not failed often enough for this very request, and counts the
    /// failure.
    pub(super) fn next_failure(
        &self,
        rule: &Rule,
        failures: &[NumberedStep],
        request: &Request,
    ) -> Option<NumberedStep> {
        if failures.is_empty() {
            return None;
        }
        let request = conversation_hash(self.component, &request.messages);
        let fails = |failure: &&NumberedStep| {
            let key = format!("{}/{request:016x}/{}", self.key(rule), failure.number);
            let times = failure.step.times.map_or(0, |times| u64::from(times.get()));
            self.counters.increment(self.session, &key) < times
        };
        failures.iter().find(fails).cloned()
    }

    fn key(&self, rule: &Rule) -> String {
        key(self.file, rule)
    }
}

/// Returns the key of a rule's counter.
pub(super) fn key(file: &Path, rule: &Rule) -> String {
    format!("rule/{}/{}", file.display(), rule.label.text())
}
