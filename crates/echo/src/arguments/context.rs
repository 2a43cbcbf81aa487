//! The inputs of a call, in addition to its schema.

use std::ops::Range;

use crate::settings::Optional;

/// The inputs from which values are generated, in addition to the schema.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context<'a> {
    /// Name of the tool or title of the response format.
    pub(crate) subject: &'a str,
    /// Text to search for values: the latest message that mentions the tool, otherwise the last user
    /// message.
    pub(crate) mention: &'a str,
    /// The bytes in `mention` of the clause that mentions the tool, and of its sentence. Their facts
    /// come first.
    pub(crate) nearest: [Range<usize>; 2],
    /// The bytes in `mention` that may state values for further calls.
    pub(crate) reach: Range<usize>,
    /// Whether `mention` mentions other tools, too.
    pub(crate) is_shared: bool,
    /// Text of the last user message.
    pub(crate) question: &'a str,
    /// Whether numbers are 42 regardless of their bounds.
    pub(crate) literal: bool,
    /// Whether objects have optional properties that nobody stated.
    pub(crate) optional: Optional,
    /// Whether to trace where the values come from.
    pub(crate) is_traced: bool,
}
