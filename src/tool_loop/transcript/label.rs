//! The labels in transcript messages, such as `AI ACTION (Turn 2): `.

use std::fmt;

/// Starts the label of a call.
pub(super) const CALL: &str = "AI ACTION";
/// Starts the label of a result.
pub(super) const RESULT: &str = "TOOL RESPONSE";

/// The prefix of every failure.
pub(super) const FAILED: &str = "TOOL FAILED: ";
/// Stands between the name and the error in every failure.
pub(super) const FAILED_BECAUSE: &str = " execution failed - ";

/// Displays the turn number in a label. Turn 0 is omitted.
pub(super) struct TurnLabel(pub(super) u32);

impl fmt::Display for TurnLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            turn => write!(f, " (Turn {turn})"),
        }
    }
}

/// Strips a label that starts with `word`, with or without a turn number.
pub(super) fn strip<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    let rest = match rest.strip_prefix(" (Turn ") {
        Some(turn) => {
            let end = turn.trim_start_matches(|char: char| char.is_ascii_digit());
            if end.len() == turn.len() {
                return None;
            }
            end.strip_prefix(')')?
        }
        None => rest,
    };
    rest.strip_prefix(": ")
}
