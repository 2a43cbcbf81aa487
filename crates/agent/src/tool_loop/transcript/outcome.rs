//! The texts that report to the model how a call ended.

use mynah_core::chat::{Message, Role};

use super::label::{FAILED, FAILED_BECAUSE, display_name};

/// What a result in a history reports about its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// There is no result.
    Unknown,
    /// The call did not run, but may run if it is repeated.
    NotRun,
    /// The call failed.
    Failed,
    /// The call was interrupted and may have taken effect.
    Interrupted,
    /// The call succeeded.
    Done,
}

/// Returns what a tool message reports about its call.
pub(super) fn native_fate(name: &str, text: &str) -> Fate {
    match text.strip_prefix(&error_executing(name)) {
        Some(error) => fate_of(error),
        None if text == correction_text(name) => Fate::NotRun,
        None if text == not_found(name) => Fate::Failed,
        None => Fate::Done,
    }
}

/// Returns what a result in the text rendering reports about its call.
pub(super) fn fate_in_text(text: &str) -> Fate {
    match text.strip_prefix(FAILED) {
        Some(error) => fate_of(error.split_once(FAILED_BECAUSE).map_or(error, |(_, error)| error)),
        None if is_correction(text) => Fate::NotRun,
        None => Fate::Done,
    }
}

fn fate_of(error: &str) -> Fate {
    match error {
        NOT_RUN | CIRCUIT_OPEN => Fate::NotRun,
        INTERRUPTED => Fate::Interrupted,
        _ => Fate::Failed,
    }
}

/// The error of a call that did not start because the loop ended. [`native_fate`] and
/// [`fate_in_text`] recognize this error and the next two in a history.
pub(crate) const NOT_RUN: &str = "the call did not run because the tool loop ended";
/// The error of a call that was running when the loop ended.
pub(crate) const INTERRUPTED: &str =
    "the call was interrupted because the tool loop ended; it may have taken effect";
/// The error of a call to a tool whose circuit breaker is open.
pub(crate) const CIRCUIT_OPEN: &str = "circuit open after repeated failures; try again later";

/// Returns the error for a call to an unknown tool.
pub(crate) fn not_found(name: &str) -> String {
    format!("Tool '{name}' not found")
}

/// Returns the prefix of every error for a call to a known tool.
pub(crate) fn error_executing(name: &str) -> String {
    format!("Error executing {name}: ")
}

/// The parts of a correction before and after the tool name.
const CORRECTION: [&str; 2] = [
    "You just called the ",
    " tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.",
];

/// Returns the user message that answers a duplicate call.
///
/// ```
/// use mynah_agent::tool_loop::transcript::correction;
/// let text = "You just called the Google Search tool with the exact same parameters as your \
///             previous action. Please try a different approach or use different parameters instead.";
/// assert_eq!(correction("google_search").text(), text);
/// ```
pub fn correction(name: &str) -> Message {
    Message::new(Role::User, correction_text(name))
}

/// Returns the text of a [`correction`].
pub(crate) fn correction_text(name: &str) -> String {
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
