//! Tool names in a readable form.

/// Returns a readable form of a tool name: spaces instead of underscores, each word capitalized.
///
/// ```
/// use mynah::tool_loop::transcript::display_name;
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
