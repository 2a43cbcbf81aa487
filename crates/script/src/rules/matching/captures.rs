//! The texts that patterns capture.

use std::collections::BTreeMap;

use mynah_core::base::condition::TextCondition;

/// The texts that the patterns of a match capture, by the names of the groups. A group that takes no
/// part in the match has no text.
pub type Captures = BTreeMap<String, String>;

/// Adds what the pattern of a condition captures in a text.
pub(super) fn capture(condition: &TextCondition, text: &str, captures: &mut Captures) {
    let Some(pattern) = condition.pattern() else { return };
    // Searching again for the groups is slow, and most patterns have none.
    if pattern.captures_len() == 1 {
        return;
    }
    let Some(found) = pattern.captures(text) else { return };
    for name in pattern.capture_names().flatten() {
        if let Some(group) = found.name(name) {
            captures.insert(name.to_owned(), group.as_str().to_owned());
        }
    }
}
