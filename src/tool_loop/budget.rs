//! The call budget of a run.

use std::collections::BTreeMap;

use super::limited::LimitedTool;

/// Counts calls against the limits of the run and of each tool.
#[derive(Debug)]
pub(super) struct CallBudget {
    remaining: Option<u32>,
    spent_by_tool: BTreeMap<String, u32>,
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
    pub(super) fn try_spend(&mut self, name: &str, tool: Option<&LimitedTool>) -> bool {
        if self.remaining == Some(0) {
            return false;
        }
        if let Some(max) = tool.and_then(|tool| tool.settings.max_calls) {
            let spent = self.spent_by_tool.entry(name.to_owned()).or_default();
            if *spent == max {
                return false;
            }
            *spent += 1;
        }
        self.remaining = self.remaining.map(|remaining| remaining - 1);
        true
    }
}
