//! Decides which matches stand if several tools match the same words.

use super::work_budget::{Exhausted, WorkBudget};

/// The matches in a sentence.
#[derive(Debug)]
pub(super) struct Matches {
    /// By position, whether a match by an earlier rule contains the word.
    pub(super) taken: Vec<bool>,
    /// The matches by the current rule, in the order of the tools.
    pub(super) found: Vec<RuleMatch>,
}

/// Words that mention a tool.
#[derive(Debug, Default)]
pub(super) struct RuleMatch {
    pub(super) tool: usize,
    /// The number of words of the name, or of keywords, that match.
    pub(super) size: usize,
    /// The positions of the words that indicate the purpose of the tool.
    pub(super) distinctive: Vec<u32>,
    /// The positions of the other words.
    pub(super) other: Vec<u32>,
    pub(super) is_negated: bool,
}

/// A tool that a sentence mentions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mentioned {
    pub(super) tool: usize,
    /// The position of the first distinctive word.
    pub(super) at: u32,
    /// The name of the rule that matches.
    pub(super) rule: &'static str,
    /// The positions of the first word that matches and of the last.
    pub(super) words: [u32; 2],
}

impl Matches {
    /// Creates an empty list for a sentence with this many words.
    pub(super) fn new(words: usize) -> Self {
        Self { taken: vec![false; words], found: Vec::new() }
    }

    /// Returns the tools that the current rule, which has this name, matches, sorted, and where.
    /// Removes its matches and takes their words.
    pub(super) fn take(
        &mut self,
        rule: &'static str,
        budget: &mut WorkBudget,
    ) -> Result<Vec<Mentioned>, Exhausted> {
        let mut tools = Vec::new();
        if self.found.is_empty() {
            return Ok(tools);
        }
        let mut largest = vec![0; self.taken.len()];
        for found in &self.found {
            budget.spend(found.distinctive.len() + found.other.len())?;
            found.positions().for_each(|at| largest[at] = found.size.max(largest[at]));
        }
        // In "list users", the match of `list_users` contains that of `get_user`.
        let stands =
            |it: &RuleMatch| it.distinctive.iter().all(|at| largest[*at as usize] <= it.size);
        for found in self.found.drain(..).filter(stands) {
            found.positions().for_each(|at| self.taken[at] = true);
            let is_new = tools.last().is_none_or(|last: &Mentioned| last.tool != found.tool);
            if !found.is_negated && is_new {
                let at = found.distinctive.iter().min().copied().unwrap_or(0);
                tools.push(Mentioned { tool: found.tool, at, rule, words: found.words() });
            }
        }
        Ok(tools)
    }
}

impl RuleMatch {
    /// Returns the positions of the first word and of the last.
    fn words(&self) -> [u32; 2] {
        let all = || self.distinctive.iter().chain(&self.other).copied();
        [all().min().unwrap_or(0), all().max().unwrap_or(0)]
    }

    fn positions(&self) -> impl Iterator<Item = usize> {
        self.distinctive.iter().chain(&self.other).map(|at| *at as usize)
    }
}
