//! What a rule finds in a sentence.

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

impl RuleMatch {
    /// Returns the positions of the first word and of the last.
    pub(super) fn words(&self) -> [u32; 2] {
        let all = || self.distinctive.iter().chain(&self.other).copied();
        [all().min().unwrap_or(0), all().max().unwrap_or(0)]
    }

    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        self.distinctive.iter().chain(&self.other).map(|at| *at as usize)
    }
}
