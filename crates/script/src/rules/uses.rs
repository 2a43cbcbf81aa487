//! Counts the uses of rules in a session.

use mynah_core::{
    chat::Request,
    provider::{conversation_hash, counters::Counters},
};

use super::rule::Rule;
use crate::chains::NumberedStep;

/// The uses of rules in the session of a call.
pub(super) struct Uses<'a> {
    pub(super) counters: &'a Counters,
    pub(super) session: &'a str,
    pub(super) component: &'a str,
}

impl Uses<'_> {
    /// Counts a use of a rule, and returns how often it was used before. Returns `None` if it was used
    /// as often as it may be.
    pub(super) fn count_rule(&self, rule: &Rule) -> Option<u64> {
        match rule.max_uses() {
            Some(max) => self.counters.increment_below(self.session, &key(rule), max),
            None if rule.is_counted() => Some(self.counters.increment(self.session, &key(rule))),
            None => Some(0),
        }
    }

    /// Returns how often a rule was used, if its uses are counted.
    pub(super) fn of_rule(&self, rule: &Rule) -> u64 {
        self.counters.get(self.session, &key(rule))
    }

    /// Returns the first step that has not failed often enough for this very request, and counts the
    /// failure.
    pub(super) fn next_failure(
        &self,
        rule: &Rule,
        failures: &[NumberedStep],
        request: &Request,
    ) -> Option<NumberedStep> {
        let keys = self.failure_keys(rule, failures, request);
        let mut failures = keys.into_iter().zip(failures);
        failures
            .find(|(key, it)| self.counters.increment_below(self.session, key, times(it)).is_some())
            .map(|(_, failure)| failure.clone())
    }

    /// Returns `true` if a step has not failed often enough for this very request. Counts nothing.
    pub(super) fn has_failure(
        &self,
        rule: &Rule,
        failures: &[NumberedStep],
        request: &Request,
    ) -> bool {
        let keys = self.failure_keys(rule, failures, request);
        keys.iter().zip(failures).any(|(key, it)| self.counters.get(self.session, key) < times(it))
    }

    fn failure_keys(
        &self,
        rule: &Rule,
        failures: &[NumberedStep],
        request: &Request,
    ) -> Vec<String> {
        if failures.is_empty() {
            return Vec::new();
        }
        let (rule, request) = (key(rule), conversation_hash(self.component, &request.messages));
        failures.iter().map(|it| format!("{rule}/{request:016x}/{}", it.number)).collect()
    }
}

fn times(failure: &NumberedStep) -> u64 {
    failure.step.times.map_or(0, |times| u64::from(times.get()))
}

/// Returns the key of a rule's counter. The quotes keep different rules apart, whatever their names.
pub(super) fn key(rule: &Rule) -> String {
    let label = rule.label.clone().in_file(None);
    format!("{label} in {:?}", rule.source)
}
