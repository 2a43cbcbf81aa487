//! Names of tools as people read them.

/// The name of a tool for people: blanks for underscores, and words that begin with a capital.
///
/// ```
/// use mynah::tool_loop::transcript::display_name;
/// assert_eq!(display_name("google_search"), "Google Search");
/// assert_eq!(display_name("get-weather"), "Get-weather");
/// ```
pub fn display_name(name: &str) -> String {
    let words: Vec<_> = name.split(['_', ' ']).map(capitalised).collect();
    words.join(" ")
}

/// The name that a display name was made of, as far as that can be known: capitals are lost.
pub(super) fn tool_name(display_name: &str) -> String {
    display_name.trim().replace(' ', "_").to_ascii_lowercase()
}

fn capitalised(word: &str) -> String {
    let mut word = word.to_owned();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}
