//! Scrubs personal data: replaces it with placeholders such as `<EMAIL_ADDRESS>`.
//!
//! [`Scrubber::Dapr`] reproduces daprd's scrubber. It finds the matches of thirteen patterns, sorts
//! them, removes overlaps, drops matches at links, and replaces the remaining matches. This
//! algorithm leaks personal data in four ways:
//!
//! - If two matches overlap or touch, the rest of the later match loses its first byte, which stays
//!   in the text: `5551234567 5551234568` becomes `<ISBN> <CREDIT_CARD>6<ISBN>`. If the rest
//!   consists of that byte only, the placeholder follows the byte, unless the text ends there.
//! - A match shortened in this way may start before the end of its predecessor. In that case,
//!   neither this match nor any later one is replaced.
//! - Matches that overlap or touch a link or the address of a git repository are not replaced.
//! - If the byte that stays is part of a multi-byte character, daprd's output is not valid UTF-8,
//!   and the call fails over gRPC. Here, the byte becomes U+FFFD.
//!
//! If several patterns match the same range, the last pattern wins. daprd agrees for up to twelve
//! matches. For more matches, the result depends on daprd's unstable sort, which this module does
//! not reproduce.
//!
//! [`Scrubber::Strict`] replaces every byte of every match. If several patterns match the same
//! range, the last pattern wins. A match inside another match gets no placeholder. Other matches
//! that overlap or touch get one placeholder each, with nothing in between:
//! `<ISBN><CREDIT_CARD><ISBN>`. Links are scrubbed like any other text. The result contains no
//! match of any pattern.
//!
//! Both scrubbers find only what these patterns match. Full-width digits, names and birthdays
//! remain in the text.
//!
//! ```
//! use mynah::internals::pii::Scrubber;
//! let text = "see https://example.org/488-23-3729, or mail ann@example.org";
//! let dapr = Scrubber::Dapr.scrub(text);
//! assert_eq!(dapr, "see https://example.org/488-23-3729, or mail <EMAIL_ADDRESS>");
//! let strict = Scrubber::Strict.scrub(text);
//! assert_eq!(strict, "see https://example.org/<US_SSN>, or mail <EMAIL_ADDRESS>");
//! ```

mod conversation;
mod patterns;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, ops::Range};

use self::patterns::Found;

/// How many times longer scrubbing a text takes than reading it.
pub(crate) const COST: usize = 40;

/// A scrubber of personal data.
///
/// Scrubbing takes O(n log n) time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scrubber {
    /// daprd's algorithm, including its leaks.
    #[default]
    Dapr,
    /// An algorithm that replaces every match completely.
    Strict,
}

impl Scrubber {
    /// Returns a function that scrubs texts.
    pub(crate) fn for_texts(self) -> fn(&str) -> String {
        match self {
            Self::Dapr => |text| Self::Dapr.scrub(text).into_owned(),
            Self::Strict => |text| Self::Strict.scrub(text).into_owned(),
        }
    }

    /// Returns the text with placeholders instead of personal data.
    pub fn scrub(self, text: &str) -> Cow<'_, str> {
        let scrubbed = match self {
            Self::Dapr => scrub_dapr(text),
            Self::Strict => scrub_strict(text),
        };
        scrubbed.map_or(Cow::Borrowed(text), Cow::Owned)
    }
}

/// Scrubs a text as daprd does. Returns `None` if it contains no personal data.
fn scrub_dapr(text: &str) -> Option<String> {
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

/// Replaces every match in a text. Returns `None` if it contains no personal data.
fn scrub_strict(text: &str) -> Option<String> {
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
