//! The mention of a tool.

/// A tool that the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    /// Index of the tool in the request.
    pub(crate) tool: usize,
    /// Index of the message with the latest mention in the request.
    pub(crate) message: usize,
}
