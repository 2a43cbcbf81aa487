//! Dates and times in standard form.

use crate::text::lexicon::{MONTHS, list};

/// The abbreviations of months, as part of a regular expression.
pub(crate) const SHORT_MONTHS: &str = "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec";

/// Returns a date in ISO 8601, or `None` if there is no such day.
pub(crate) fn date(year: &str, month: &str, day: &str) -> Option<String> {
    let year_number: u32 = year.parse().ok()?;
    let month = month.parse().ok().or_else(|| month_of(month))?;
    let day: u32 = day.parse().ok()?;
    let is_leap = year_number.is_multiple_of(4)
        && (!year_number.is_multiple_of(100) || year_number.is_multiple_of(400));
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=last).contains(&day).then(|| format!("{year}-{month:02}-{day:02}"))
}

/// Returns a time as HH:MM, or as HH:MM:SS if seconds were stated, or `None` if there is no such time.
pub(super) fn time(hour: &str, minute: &str, seconds: &str, half: &str) -> Option<String> {
    let number =
        |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u32>().ok() };
    let hour: u32 = hour.parse().ok()?;
    let hour = match half {
        "" => hour,
        _ if !(1..=12).contains(&hour) => return None,
        "p" | "P" => hour % 12 + 12,
        _ => hour % 12,
    };
    let minute = number(minute)?;
    let is_time = hour < 24 && minute < 60 && number(seconds)? < 60;
    let colon = if seconds.is_empty() { "" } else { ":" };
    is_time.then(|| format!("{hour:02}:{minute:02}{colon}{seconds}"))
}

/// Returns the number of a month by its name or an abbreviation of at least three letters.
fn month_of(word: &str) -> Option<u32> {
    let start = word.trim_end_matches('.').to_ascii_lowercase();
    let month = list(MONTHS).zip(1..).find(|(name, _)| name.starts_with(&start));
    month.filter(|_| start.len() > 2).map(|(_, month)| month)
}
