//! The algorithm of Dapr's scrubber, with all that it lets through.

use std::{cmp::Reverse, ops::Range};

use super::{
    go_sort,
    patterns::{self, Found},
};

/// What Dapr makes of a text; `None` where it leaves it as it is.
pub(super) fn scrub(text: &str) -> Option<String> {
    let mut found = patterns::personal(text);
    if found.is_empty() {
        return None;
    }
    go_sort::sort(&mut found, comes_first);
    make_disjoint(&mut found);
    let found = outside(found, zones(text));
    Some(replace(text, &found))
}

/// By start, the longer first. Of equal ranges each claims to be the first.
fn comes_first(left: &Found, right: &Found) -> bool {
    (left.start, Reverse(left.end)) <= (right.start, Reverse(right.end))
}

/// Drops what the range before covers, and cuts what overlaps it. The start moves one byte too far,
/// since ends are exclusive. The range before counts even where it was dropped itself.
fn make_disjoint(found: &mut Vec<Found>) {
    let mut before = None;
    found.retain_mut(|found| match before.replace(found.end) {
        Some(end) if found.start <= end => {
            found.start = end + 1;
            found.end > end
        }
        _ => true,
    });
}

fn zones(text: &str) -> Vec<Range<usize>> {
    let mut zones = patterns::ignored(text);
    zones.sort_unstable_by_key(|zone| (zone.start, Reverse(zone.end)));
    zones
}

/// What neither overlaps nor touches a zone. One sweep, as in Dapr, though cut ranges may be out of
/// order.
fn outside(found: Vec<Found>, zones: Vec<Range<usize>>) -> Vec<Found> {
    let mut kept = Vec::with_capacity(found.len());
    let mut rest = found.into_iter().peekable();
    for zone in zones {
        while let Some(before) = rest.next_if(|found| found.end < zone.start) {
            kept.push(before);
        }
        while rest.next_if(|found| found.start <= zone.end).is_some() {}
    }
    kept.extend(rest);
    kept
}

/// Writes the placeholders. A range that starts before the end of the last one is never reached,
/// and neither is any after it; an empty one at the end of the text is not, either.
fn replace(text: &str, found: &[Found]) -> String {
    let (bytes, mut scrubbed, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    for found in found {
        if found.start < at || found.start >= bytes.len() {
            break;
        }
        scrubbed.extend_from_slice(&bytes[at..found.start]);
        scrubbed.extend_from_slice(found.placeholder.as_bytes());
        at = found.end;
    }
    scrubbed.extend_from_slice(&bytes[at..]);
    // The byte let through may be the first of a longer character.
    String::from_utf8(scrubbed)
        .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
}
