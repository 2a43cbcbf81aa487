//! Counts the uses of rules in a session.

use super::rule::Rule;
use crate::chains::CallCounters;

impl CallCounters<'_> {
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
}

/// Returns the key of a rule's counter. The quotes keep different rules apart, whatever their names.
pub(super) fn key(rule: &Rule) -> String {
    let label = rule.label.clone().in_file(None);
    format!("{label} in {:?}", rule.source)
}
