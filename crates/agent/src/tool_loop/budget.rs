//! Counts the calls of a run.

use std::collections::BTreeMap;

use super::{limited::LimitedTool, transcript::CallKey};

/// Counts calls against the limits of the run and of each tool.
#[derive(Debug)]
pub(super) struct CallBudget {
    remaining: Option<u32>,
    spent_by_tool: BTreeMap<String, u32>,
}

/// Counts consecutive turns with the same calls, to detect a model that makes no progress.
#[derive(Debug, Default)]
pub(super) struct StallDetector {
    equal_turns: u32,
    last_calls: Vec<CallKey>,
}

impl CallBudget {
    pub(super) fn new(max_calls: Option<u32>) -> Self {
        Self { remaining: max_calls, spent_by_tool: BTreeMap::new() }
    }

    /// Leaves no calls.
    pub(super) fn exhaust(&mut self) {
        self.remaining = Some(0);
    }

    /// Spends one call. Returns `false` if the run or the tool has no calls left.
    pub(super) fn try_spend(&mut self, tool: Option<&LimitedTool>) -> bool {
        if self.remaining == Some(0) {
            return false;
        }
        if let Some(tool) = tool
            && let Some(max) = tool.settings.max_calls
        {
            let spent = self.spent_by_tool.entry(tool.tool.name().to_owned()).or_default();
            if *spent == max {
                return false;
            }
            *spent += 1;
        }
        self.remaining = self.remaining.map(|remaining| remaining - 1);
        true
    }
}

impl StallDetector {
    /// Records the calls of a turn. Returns the number of consecutive turns with these calls.
    pub(super) fn record(&mut self, calls: Vec<CallKey>) -> u32 {
        self.equal_turns = if calls == self.last_calls { self.equal_turns + 1 } else { 1 };
        self.last_calls = calls;
        self.equal_turns
    }
}
