//! Scrubbing that lets nothing through that a pattern matches.

use std::cmp::Reverse;

use super::patterns;

/// The text without personal data; `None` where it has none.
pub(super) fn scrub(text: &str) -> Option<String> {
    let mut found = patterns::personal(text);
    if found.is_empty() {
        return None;
    }
    // Of equal ranges the one of the last pattern comes first, as it does in Dapr among a few.
    found.reverse();
    found.sort_by_key(|found| (found.start, Reverse(found.end)));
    let (mut scrubbed, mut at) = (String::with_capacity(text.len()), 0);
    for found in found {
        if found.end <= at {
            continue;
        }
        // Nothing where it overlaps the last one, or touches it.
        scrubbed.push_str(text.get(at..found.start).unwrap_or_default());
        scrubbed.push_str(found.placeholder);
        at = found.end;
    }
    scrubbed.push_str(&text[at..]);
    Some(scrubbed)
}
