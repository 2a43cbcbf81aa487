//! Mentions of tools.

/// A tool that the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    /// Index of the tool in the request.
    pub(crate) tool: usize,
    /// Index of the latest message in the request that mentions the tool.
    pub(crate) message: usize,
}
