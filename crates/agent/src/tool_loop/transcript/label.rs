//! The labels and the tool names in transcript messages: `AI ACTION (Turn 2): Executing Get Weather`.

/// Starts the label of a call.
pub(super) const CALL: &str = "AI ACTION";
/// Starts the label of a result.
pub(super) const RESULT: &str = "TOOL RESPONSE";

/// The prefix of every failure.
pub(super) const FAILED: &str = "TOOL FAILED: ";
/// Stands between the name and the error in every failure.
pub(super) const FAILED_BECAUSE: &str = " execution failed - ";

/// Returns a label that starts with `word`, such as `AI ACTION (Turn 2): `. Turn 0 is omitted.
pub(super) fn label(word: &str, turn: u32) -> String {
    match turn {
        0 => format!("{word}: "),
        turn => format!("{word} (Turn {turn}): "),
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

/// Returns a readable form of a tool name: spaces instead of underscores, each word capitalized.
///
/// ```
/// use mynah_agent::tool_loop::transcript::display_name;
/// assert_eq!(display_name("google_search"), "Google Search");
/// assert_eq!(display_name("get-weather"), "Get-weather");
/// ```
pub fn display_name(name: &str) -> String {
    let words: Vec<_> = name.split(['_', ' ']).map(capitalize).collect();
    words.join(" ")
}

/// Returns the tool name for a display name. The result is in lower case because the original case
/// cannot be restored.
pub(super) fn tool_name(display_name: &str) -> String {
    display_name.trim().replace(' ', "_").to_ascii_lowercase()
}

fn capitalize(word: &str) -> String {
    let mut word = word.to_owned();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}
