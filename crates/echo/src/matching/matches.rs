//! What a rule finds in a sentence.

/// Words that mention a tool.
#[derive(Debug, Default)]
pub(super) struct RuleMatch {
    pub(super) tool: usize,
    /// The number of words of the name, or of keywords, that match.
    pub(super) size: usize,
    /// The positions of the words that indicate the purpose of the tool.
    pub(super) distinctive: Vec<usize>,
    /// The positions of the other words.
    pub(super) other: Vec<usize>,
    /// Whether the words ask for no tool, although no other match may have them.
    pub(super) is_void: bool,
}

/// A tool that a sentence mentions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mentioned {
    pub(super) tool: usize,
    /// The position of the first distinctive word.
    pub(super) at: usize,
    /// The name of the rule that matches.
    pub(super) rule: &'static str,
    /// The positions of the first word that matches and of the last.
    pub(super) words: [usize; 2],
}

impl RuleMatch {
    /// Returns the positions of the first word and of the last.
    pub(super) fn words(&self) -> [usize; 2] {
        [self.positions().min().unwrap_or(0), self.positions().max().unwrap_or(0)]
    }

    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        self.distinctive.iter().chain(&self.other).copied()
    }
}
