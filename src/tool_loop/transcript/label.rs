//! What messages of the transcript begin with: a word and the turn, as in `AI ACTION (Turn 2): `.

use std::fmt;

/// Begins a call.
pub(super) const CALL: &str = "AI ACTION";
/// Begins a result.
pub(super) const RESULT: &str = "TOOL RESPONSE";

/// The turn that a label names; turn 0 is not named.
pub(super) struct TurnLabel(pub(super) u32);

impl fmt::Display for TurnLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            turn => write!(f, " (Turn {turn})"),
        }
    }
}

/// What follows a label that begins with `word`, of any turn.
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
