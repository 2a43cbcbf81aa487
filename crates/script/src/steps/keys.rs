//! The keys of a step that need or exclude each other.

/// The keys of a step's items.
pub(crate) const MESSAGES: &str = "messages";
pub(crate) const RESPOND: &str = "respond";
/// Stands for an error as an item or beside the items.
pub(super) const AN_ERROR: &str = "an error";

/// The key of how often a step fails.
pub(super) const TIMES: &str = "times";

/// The keys of which a step needs at least one.
pub(super) const ANSWERS: [&str; 7] =
    [MESSAGES, RESPOND, "reasoning", "error", "delay", "empty", "cut_after"];
/// What a step with `times` needs.
pub(super) const FAILURES: [&str; 2] = [AN_ERROR, "cut_after"];
/// The pairs of which a step has at most one.
pub(super) const EXCLUDED: [[&str; 2]; 9] = [
    [RESPOND, MESSAGES],
    [MESSAGES, "error"],
    [RESPOND, "error"],
    [MESSAGES, "empty"],
    [RESPOND, "empty"],
    ["error", "empty"],
    [AN_ERROR, "cut_after"],
    ["empty", "cut_after"],
    ["words_per_chunk", "characters_per_chunk"],
];
