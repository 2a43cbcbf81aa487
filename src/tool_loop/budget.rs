//! How many calls a run may still make.

use std::collections::BTreeMap;

use super::limited::LimitedTool;

/// What is left of the calls.
#[derive(Debug)]
pub(super) struct Budget {
    left: Option<u32>,
    spent: BTreeMap<String, u32>,
}

impl Budget {
    pub(super) fn new(max_calls: Option<u32>) -> Self {
        Self { left: max_calls, spent: BTreeMap::new() }
    }

    /// Spends one call, if there is one left, overall and for that tool.
    pub(super) fn spend(&mut self, name: &str, tool: Option<&LimitedTool>) -> bool {
        if self.left == Some(0) {
            return false;
        }
        if let Some(max) = tool.and_then(|tool| tool.settings.max_calls) {
            let spent = self.spent.entry(name.to_owned()).or_default();
            if *spent == max {
                return false;
            }
            *spent += 1;
        }
        self.left = self.left.map(|left| left - 1);
        true
    }
}
