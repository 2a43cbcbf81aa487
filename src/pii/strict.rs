//! Scrubs texts by replacing every match completely.

use super::patterns;

/// Scrubs a text. Returns `None` if it contains no personal data.
pub(super) fn scrub(text: &str) -> Option<String> {
    let matches = patterns::find(text);
    if matches.is_empty() {
        return None;
    }
    let (mut scrubbed, mut at) = (String::with_capacity(text.len()), 0);
    for found in matches {
        if found.end <= at {
            continue;
        }
        // Add nothing if the match overlaps or touches its predecessor.
        scrubbed.push_str(text.get(at..found.start).unwrap_or_default());
        scrubbed.push_str(found.placeholder);
        at = found.end;
    }
    scrubbed.push_str(&text[at..]);
    Some(scrubbed)
}
