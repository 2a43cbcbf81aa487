//! The algorithm of Dapr's scrubber, including its leaks.

use std::ops::Range;

use super::patterns::{self, Match};

/// Scrubs a text. Returns `None` if nothing in it is personal data.
pub(super) fn scrub(text: &str) -> Option<String> {
    let mut matches = patterns::find(text);
    if matches.is_empty() {
        return None;
    }
    remove_overlaps(&mut matches);
    let matches = drop_ignored(matches, patterns::find_ignored(text));
    Some(replace(text, &matches))
}

/// Drops the matches that the previous match covers, and shortens those that overlap it. The new
/// start is one byte too far, because ends are exclusive. A dropped match still counts as the
/// previous one.
fn remove_overlaps(matches: &mut Vec<Match>) {
    let mut previous_end = None;
    matches.retain_mut(|found| match previous_end.replace(found.end) {
        Some(end) if found.start <= end => {
            found.start = end + 1;
            found.end > end
        }
        _ => true,
    });
}

/// Drops the matches that overlap or touch an ignored range. Like Dapr, this takes a single pass,
/// although shortened matches may be out of order.
fn drop_ignored(matches: Vec<Match>, ignored: Vec<Range<usize>>) -> Vec<Match> {
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

/// Replaces matches with their placeholders, up to the first match that starts before the end of
/// its predecessor or at the end of the text.
fn replace(text: &str, matches: &[Match]) -> String {
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
