//! Timestamps as other programs write them.

use jiff::{Timestamp, civil::DateTime, tz::Offset};

/// Parses a timestamp. Without an offset, it is in UTC.
pub(super) fn parse(text: &str) -> Result<Timestamp, String> {
    let text = text.trim();
    let with_offset = || text.parse::<Timestamp>().ok();
    let in_utc = || Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    with_offset().or_else(in_utc).ok_or_else(|| {
        format!("{text:?} is not a timestamp; use ISO 8601, such as 2026-05-01T09:00:00Z")
    })
}
