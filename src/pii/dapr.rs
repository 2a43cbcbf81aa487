//! The algorithm of Dapr's scrubber, including its leaks.

use std::ops::Range;

use super::patterns::{self, Found};

/// Scrubs a text. Returns `None` if it contains no personal data.
pub(super) fn scrub(text: &str) -> Option<String> {
    let mut matches = patterns::find(text);
    if matches.is_empty() {
        return None;
    }
    remove_overlaps(&mut matches);
    let matches = drop_ignored(matches, patterns::find_ignored(text));
    Some(replace(text, &matches))
}

/// Drops each match that the previous match covers, and shortens each match that overlaps or
/// touches the previous one. The new start is one byte too far because the end of a match is
/// exclusive. A dropped match still counts as the previous match.
fn remove_overlaps(matches: &mut Vec<Found>) {
    let mut previous_end = None;
    matches.retain_mut(|found| match previous_end.replace(found.end) {
        Some(end) if found.start <= end => {
            found.start = end + 1;
            found.end > end
        }
        _ => true,
    });
}

/// Drops the matches that overlap or touch an ignored range. Like Dapr's code, this makes a single
/// pass, although shortened matches may be out of order.
fn drop_ignored(matches: Vec<Found>, ignored: Vec<Range<usize>>) -> Vec<Found> {
    let mut kept = Vec::with_capacity(matches.len());
    let mut rest = matches.into_iter().peekable();
    for range in ignored {
        while let Some(before) = rest.next_if(|found| found.end < range.start) {
            kept.push(before);
        }
        while rest.next_if(|found| found.start <= range.end).is_some() {}
    }
    kept.extend(rest);
    kept
}

/// Replaces matches with their placeholders. Stops at the first match that starts at the end of the
/// text, or before the end of its predecessor.
fn replace(text: &str, matches: &[Found]) -> String {
    let (bytes, mut scrubbed, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    for found in matches {
        if found.start < at || found.start >= bytes.len() {
            break;
        }
        scrubbed.extend_from_slice(&bytes[at..found.start]);
        scrubbed.extend_from_slice(found.placeholder.as_bytes());
        at = found.end;
    }
    scrubbed.extend_from_slice(&bytes[at..]);
    // A shortened match may start in the middle of a character.
    String::from_utf8(scrubbed)
        .unwrap_or_else(|invalid| String::from_utf8_lossy(invalid.as_bytes()).into_owned())
}
