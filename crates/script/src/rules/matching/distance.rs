//! How far a call is from matching.

use std::cmp::Reverse;

use super::{MatchedCall, condition::Condition};

/// How far a call is from matching. The least is the nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Distance {
    /// How many conditions do not hold.
    failed: usize,
    /// Whether only one of the two is about the results of tools: the conditions, or the end of the
    /// call's history.
    is_other_turn: bool,
    /// How many conditions on what is asked hold.
    asked: Reverse<usize>,
}

impl Distance {
    pub(super) fn new(conditions: &[Condition], call: &MatchedCall<'_>) -> Self {
        let (holding, failed): (Vec<_>, Vec<_>) = conditions.iter().partition(|it| it.holds(call));
        let expects_results = conditions.iter().any(|it| it.expects_results(call));
        Self {
            failed: failed.len(),
            is_other_turn: expects_results == call.results().is_empty(),
            asked: Reverse(holding.iter().filter(|it| it.is_about_question()).count()),
        }
    }
}
