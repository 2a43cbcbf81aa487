//! Pieces of a streamed response.

use super::Response;

/// A piece of a streamed response.
///
/// A stream contains any number of reasoning and text deltas, followed by exactly one
/// [`Delta::Complete`]. The reasoning deltas, concatenated, are the reasoning of the response, and the
/// text deltas are its content.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// The next piece of the reasoning, never empty.
    Reasoning(String),
    /// The next piece of the content, never empty.
    Text(String),
    /// The complete response, as a unary call returns it. Only this delta contains tool calls.
    ///
    /// Boxed to keep the enum small: a stream contains only one such delta, but up to thousands of
    /// text deltas.
    Complete(Box<Response>),
}
