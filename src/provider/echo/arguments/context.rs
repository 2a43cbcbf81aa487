//! The inputs of the generator.

/// The inputs of generated values, apart from the schema.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Context<'a> {
    /// Name of the tool, or title of the response format.
    pub(crate) subject: &'a str,
    /// Text of the message with the latest mention of the tool, or empty.
    pub(crate) mention: &'a str,
    /// Text of the last user message.
    pub(crate) question: &'a str,
    /// Whether numbers are 42 regardless of bounds.
    pub(crate) literal: bool,
}
