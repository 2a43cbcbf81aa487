//! The text that answers a duplicate call.

use super::name::display_name;
use crate::chat::{Message, Role};

/// The parts of a correction before and after the tool name.
const CORRECTION: [&str; 2] = [
    "You just called the ",
    " tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.",
];

/// Returns the user message that answers a duplicate call.
///
/// ```
/// use mynah::tool_loop::transcript::correction;
/// let text = "You just called the Google Search tool with the exact same parameters as your \
///             previous action. Please try a different approach or use different parameters instead.";
/// assert_eq!(correction("google_search").text(), text);
/// ```
pub fn correction(name: &str) -> Message {
    Message::new(Role::User, correction_text(name))
}

/// Returns the text of a [`correction`].
pub(in crate::tool_loop) fn correction_text(name: &str) -> String {
    correction_for(&display_name(name))
}

/// Returns the text of a correction that contains `name` unchanged.
pub(super) fn correction_for(name: &str) -> String {
    let [before, after] = CORRECTION;
    format!("{before}{name}{after}")
}

/// Returns `true` if `text` is a [`correction`] for any tool.
pub(super) fn is_correction(text: &str) -> bool {
    let [before, after] = CORRECTION;
    text.starts_with(before) && text.ends_with(after)
}
